#pragma once
#include <cstdint>
#include <vector>

#include "device/device.h"
#include "distribution/slice.h"
#include "stoker/array.h"

namespace stoker::data {

// What a feed delivers to steps and needs on a device, for any batch size: known before data is on
// the device, and before a batch size is chosen.
struct FeedPlan {
  std::vector<TensorType> columns;  // of all samples or of a batch: the number of rows is ignored
  bool varies = false;              // other batches than the first may have other shapes
  int64_t samples = 0;              // per epoch; 0: unknown
  int64_t known_batches = 0;        // per epoch, if `samples` is unknown
  bool endless = false;             // epochs are infinite
  int64_t own_batch_size = 0;       // of the data itself; 0: any
  bool shuffles = false;            // in another order every epoch
  bool may_stay = false;            // all on the device if there is enough memory: see placed()
  bool gathers = false;             // steps get indices and whole columns, and gather their rows
  bool streams = false;             // batch by batch, as there is too much data for the device
  int64_t slots = 3;                // for streaming, each for batches_at_once()
  int64_t slot_bytes = 0;           // shared by several batches; 0: not shared
  bool reads_host = false;          // for streaming, the device may gather rows from host memory
  bool keeps = false;               // an epoch's batches are cached on the device for later epochs
  int64_t kept_bytes = 0;           // memory for these that is not allocated yet
  bool copies = false;              // the device copies inputs whose address changes
  // Numbers of rows and samples refer to global batches; steps get a rank's slice.
  distribution::Division division = {};

  // The plan for a device with so many free bytes. Data that needs more than half of them is
  // streamed, as the step needs memory, too.
  FeedPlan placed(int64_t free) const;
  // Types of the step's inputs for a batch: [indices, whole columns …] or [batch columns …]. The
  // length of whole columns is unknown, so that a step can be used for data of any length.
  std::vector<TensorType> inputs(int64_t rows) const;
  distribution::Slice slice(int64_t rows) const { return division.of(rows); }
  int64_t batch_size(int64_t asked) const { return own_batch_size > 0 ? own_batch_size : asked; }
  int64_t rows(int64_t batch_size) const;             // of a full batch
  int64_t last_rows(int64_t batch_size) const;        // of a smaller last batch; 0: none, if known
  int64_t batches(int64_t batch_size) const;          // per epoch; 0: unknown
  int64_t steps(int64_t batch_size) const;            // to compile: one per number of rows
  int64_t batches_at_once(int64_t batch_size) const;  // sent together when streaming
  int64_t bytes_of_batch() const;  // of a full one, for data that comes in batches
  // On a device with its own memory: bytes of the feed, and of copies of each step's rows.
  int64_t held_bytes(int64_t batch_size) const;
  int64_t copied_bytes(int64_t batch_size) const;
  int64_t bytes(int64_t batch_size) const {
    return held_bytes(batch_size) + copied_bytes(batch_size);
  }
  bool operator==(const FeedPlan&) const = default;
};

}  // namespace stoker::data
