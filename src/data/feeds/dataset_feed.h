#pragma once
#include <optional>

#include "data/feeds/array_source.h"
#include "data/feeds/device_cache.h"
#include "data/feeds/feed_source.h"
#include "data/feeds/stream_slots.h"
#include "data/prefetched.h"
#include "data/stage.h"
#include "data/tuning/consumer.h"

namespace stoker::data {

// A source of batches from a dataset. Column c of a step is array `order[c]` of an element.
struct DatasetSource : FeedSource {
  // Makes the first batch if the dataset does not tell its shape.
  DatasetSource(Dataset batches, std::vector<size_t> columns, const ElementSpec& spec);
  FeedPlan plan(const device::Device& device, int64_t beside = 0) const override;
  std::unique_ptr<Feed> open(const FeedPlan& plan, const device::Device& device,
                             const FeedOptions& options) const override;
  // Records a fit over the dataset, for explain().
  void note_fit(const FeedOptions& options) const;

  Dataset dataset;
  StageRef given;  // the dataset given to fit, if fit appended a map
  std::vector<size_t> order;
  std::vector<TensorType> columns;  // of the first batch
  std::vector<TensorType> allowed;  // of all batches: unknown dimensions may vary
  int64_t rows = 0;                 // of a full batch
  bool any_rows = false;            // … which may have more: `rows` are the first one's

  bool varies() const;
  bool allows(size_t column, const TensorType& type) const;  // whatever the number of rows

 private:
  FeedPlan with_cache(FeedPlan plan, const device::Device& device, int64_t beside) const;
  std::optional<RowsInOrder> batches_of_rows() const;
  ArraySource arrays_of(const RowsInOrder& rows) const;
};

// Batches made ahead in a background thread (prefetch). Steps on the CPU read them in place; to
// other devices they are copied while the previous step runs.
class DatasetFeed : public Feed {
 public:
  DatasetFeed(const DatasetSource& source, const FeedPlan& plan, const device::Device& device,
              const FeedOptions& options);

  const FeedPlan& plan() const override { return plan_; }
  int64_t batch_size() const override { return source_.rows; }
  int64_t bytes_to_upload() const override;
  void start(int64_t epoch) override;
  void prepare(int64_t epoch) override;
  void limit(std::vector<ColumnLimit> limits) override { limits_ = std::move(limits); }
  bool next(Batch& batch, int64_t most = 1) override;
  bool gives_several() const override { return kept_ != nullptr; }
  bool exhausted() override;
  Config state() const override;
  void restore(const Config& state) override;
  PipelineStatistics statistics() const override;

 private:
  std::unique_ptr<Prefetched> opened(int64_t epoch);
  void open_cache();
  void begin_keeping();
  void stop_keeping(const std::string& why);
  StokerTicket send_and_keep();
  bool next_kept(Batch& batch, int64_t most);
  bool look_ahead();
  bool is_right(const Element& element) const;
  void check(const Element& element) const;
  void check_values(const Element& element) const;
  void set_types(int64_t rows);
  std::span<std::byte> rows_here(size_t column) const;
  StokerTicket send();

  DatasetSource source_;
  FeedPlan plan_;
  device::Device device_;
  FeedOptions options_;
  std::shared_ptr<BatchMemory> memory_ = std::make_shared<BatchMemory>();
  const std::optional<Batching> divided_;  // elements are this rank's rows of such batches
  Meter ahead_meter_;                      // of what this feed makes ahead
  Consumer consumer_;
  std::unique_ptr<Prefetched> cursor_, following_;  // of this epoch, and of the next if ready
  int64_t epoch_ = -1, following_epoch_ = -1;
  int64_t delivered_ = 0, first_ = 0;          // batches and samples of this epoch
  bool ended_ = false;                         // no further batch in this epoch
  std::optional<Element> ahead_;               // read, but not delivered yet
  Element given_;                              // a step may be reading it
  std::shared_ptr<DeviceCache> cache_;         // null: cache_on_device is not the last stage
  bool keeps_;                                 // as planned, as long as it is possible
  std::shared_ptr<const DeviceBatches> kept_;  // set: this epoch's batches are on the device
  std::shared_ptr<DeviceBatches> keeping_;     // for later epochs
  std::optional<StreamSlots> slots_;
  std::vector<uint64_t> sent_bytes_;
  std::vector<TensorType> types_;
  std::vector<ColumnLimit> limits_;
  std::vector<void*> inputs_;
  std::vector<int64_t> strides_;
};

}  // namespace stoker::data
