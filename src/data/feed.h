#pragma once
#include "data/feed_plan.h"
#include "device/backend_interface.h"
#include "stoker/config.h"
#include "stoker/pipeline_statistics.h"

namespace stoker::data {

// One batch or several of the same size, each `strides` bytes behind the one before it.
struct Batch {
  void* const* inputs = nullptr;                   // on the device, one for each input of the step
  const int64_t* strides = nullptr;                // likewise
  const std::vector<TensorType>* types = nullptr;  // of the inputs of one batch
  StokerTicket after = 0;                          // of what brings the inputs to the device
  int64_t rows = 0, first = 0, count = 1;          // `first`: the first sample's place in the epoch
  StokerRun run() const { return {inputs, strides, count, after}; }
};

// All that a step loop knows of data. Arrays are one feed; a pipeline or a part of either is
// another.
class Feed {
 public:
  virtual ~Feed() = default;

  virtual const FeedPlan& plan() const = 0;
  virtual int64_t batch_size() const = 0;
  // What the epochs will take of the device and have not yet.
  virtual int64_t bytes_to_upload() const = 0;

  // The order of the samples is a function of (seed, epoch).
  virtual void start(int64_t epoch) = 0;
  // Makes that epoch ready now, while the device is still busy with this one.
  virtual void prepare(int64_t) {}
  // At most so many batches at once, which are valid until the next call; false at the end of the
  // epoch and before the first one.
  virtual bool next(Batch& batch, int64_t most = 1) = 0;
  // Would next() return false? Where the length is not known, it takes a look ahead to say so.
  virtual bool exhausted() = 0;

  // Where it stands, for a checkpoint. restore() goes on exactly there; between two epochs it only
  // takes over the seed. Throws InvalidArgument if inside an epoch the data is not the same.
  virtual Config state() const = 0;
  virtual void restore(const Config& state) = 0;

  // What the stages of a pipeline have done; empty where there is none.
  virtual PipelineStatistics statistics() const { return {}; }

  int64_t batches() const { return plan().batches(batch_size()); }  // 0: not known
  int64_t rows() const { return plan().rows(batch_size()); }        // of a full batch
  std::vector<TensorType> inputs(int64_t rows) const { return plan().inputs(rows); }
};

}  // namespace stoker::data
