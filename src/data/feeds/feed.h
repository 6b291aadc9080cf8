#pragma once
#include "data/feeds/column_limit.h"
#include "data/feeds/feed_plan.h"
#include "device/backend_interface.h"
#include "stoker/config.h"
#include "stoker/pipeline_statistics.h"

namespace stoker::data {

// One batch or several of the same size, each `strides` bytes after the previous one.
struct Batch {
  void* const* inputs = nullptr;                   // device pointers, one per input of the step
  const int64_t* strides = nullptr;                // one per input
  const std::vector<TensorType>* types = nullptr;  // of the inputs of one batch
  StokerTicket after = 0;                  // of the copy that brings the inputs to the device
  int64_t rows = 0, first = 0, count = 1;  // `first`: index of the first sample in the epoch
  StokerRun run() const { return {inputs, strides, count, after}; }
};

// The interface between a step loop and its data. Arrays are one feed, a pipeline is another.
class Feed {
 public:
  virtual ~Feed() = default;

  virtual const FeedPlan& plan() const = 0;
  virtual int64_t batch_size() const = 0;
  // Device memory that the epochs will still need.
  virtual int64_t bytes_to_upload() const = 0;

  // The order of the samples depends on (seed, epoch).
  virtual void start(int64_t epoch) = 0;
  // Prepares that epoch while the device is still busy with this one.
  virtual void prepare(int64_t) {}
  // Values outside the limits, one for each of the first columns, are an error. Without effect for
  // arrays, which are checked before.
  virtual void limit(std::vector<ColumnLimit>) {}
  // Returns at most so many batches at once, valid until the next call; false at the end of the
  // epoch and before the first one.
  virtual bool next(Batch& batch, int64_t most = 1) = 0;
  // Does next() give several batches at once in this epoch? All ranks must launch as many steps.
  virtual bool gives_several() const { return true; }
  // Would next() return false? If the length is unknown, this reads ahead.
  virtual bool exhausted() = 0;

  // The position, for a checkpoint. restore() resumes exactly there; between two epochs it only
  // restores the seed. Throws InvalidArgument if, inside an epoch, the data is not the same.
  virtual Config state() const = 0;
  virtual void restore(const Config& state) = 0;

  // Statistics of a pipeline's stages; empty if there is none.
  virtual PipelineStatistics statistics() const { return {}; }

  int64_t batches() const { return plan().batches(batch_size()); }  // 0: unknown
  int64_t rows() const { return plan().rows(batch_size()); }        // of a full batch
  std::vector<TensorType> inputs(int64_t rows) const { return plan().inputs(rows); }
};

}  // namespace stoker::data
