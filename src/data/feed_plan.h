#pragma once
#include <cstdint>
#include <vector>

#include "device/device.h"
#include "distribution/slice.h"
#include "stoker/array.h"

namespace stoker::data {

// What a feed gives to steps and takes of a device, for any batch size: known before there is data
// on the device, and before a batch size is chosen.
struct FeedPlan {
  std::vector<TensorType>
      columns;                 // of all samples or of a batch: the number of rows does not count
  int64_t samples = 0;         // in an epoch; 0: not known
  int64_t known_batches = 0;   // in an epoch, where `samples` does not tell
  bool endless = false;        // an epoch has no end
  int64_t own_batch_size = 0;  // which the data comes in; 0: in any that is asked for
  bool shuffles = false;       // in another order every epoch
  bool may_stay = false;       // all of it on the device, where there is room: see placed()
  bool gathers = false;        // steps get indices and whole columns, and gather their rows
  bool streams = false;        // batch by batch, as there is too much data for the device
  int64_t slots = 3;           // on the device when it streams, each for batches_at_once()
  int64_t slot_bytes = 0;      // that several batches may share; 0: none do
  bool reads_host = false;     // when it streams, the device may gather rows on the host by itself
  bool keeps = false;          // the batches of an epoch, on the device, for those after it
  int64_t kept_bytes = 0;      // which these will take, if they are not there yet
  bool copies = false;         // the device copies what lies elsewhere in every step
  // All numbers of rows and samples here are those of global batches; steps get a rank's slice.
  distribution::Division division = {};

  // The plan for a device of which so many bytes are free. Data that takes more than half of them
  // streams, as the step needs memory, too.
  FeedPlan placed(int64_t free) const;
  // Types of the step's inputs for a batch: [indices, whole columns …] or [batch columns …]. The
  // length of whole columns is unknown, so that a step serves data of any length.
  std::vector<TensorType> inputs(int64_t rows) const;
  distribution::Slice slice(int64_t rows) const { return division.of(rows); }
  int64_t batch_size(int64_t asked) const { return own_batch_size > 0 ? own_batch_size : asked; }
  int64_t rows(int64_t batch_size) const;       // of a full batch
  int64_t last_rows(int64_t batch_size) const;  // of a smaller last batch; 0: none, as far as known
  int64_t batches(int64_t batch_size) const;    // in an epoch; 0: not known
  int64_t steps(int64_t batch_size) const;      // to compile: one for each number of rows
  int64_t batches_at_once(int64_t batch_size) const;  // that are sent together when it streams
  int64_t bytes_of_batch() const;                     // a full one, of data that comes in batches
  // On a device with memory of its own: what the feed holds, and in copies of each step's rows.
  int64_t held_bytes(int64_t batch_size) const;
  int64_t copied_bytes(int64_t batch_size) const;
  int64_t bytes(int64_t batch_size) const {
    return held_bytes(batch_size) + copied_bytes(batch_size);
  }
  bool operator==(const FeedPlan&) const = default;
};

}  // namespace stoker::data
