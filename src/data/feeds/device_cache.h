#pragma once
#include <mutex>
#include <string>

#include "data/feeds/feed_plan.h"
#include "device/memory/buffer.h"

namespace stoker::data {

// Contiguous batches in device memory, with the size of full ones.
struct DeviceBatches {
  std::vector<size_t> order;            // the array of an element for each column
  std::vector<device::Buffer> columns;  // of all batches
  std::vector<uint64_t> batch_bytes;    // of a full batch, by column
  std::vector<int64_t> rows;            // of each batch
  StokerTicket sent = 0;                // done when all have arrived

  // The address of batch i of a column.
  device::Buffer at(size_t column, int64_t i) const {
    const uint64_t bytes = batch_bytes[column];
    return columns[column].part(static_cast<uint64_t>(i) * bytes, bytes);
  }
};

// The contents of cache_on_device on one device: the batches of one complete pass. Shared by all
// passes and fits over a dataset and its copies.
class DeviceCache {
 public:
  explicit DeviceCache(std::string where) : where_(std::move(where)) {}

  // Null: no complete pass yet, or with other columns.
  std::shared_ptr<const DeviceBatches> kept(const std::vector<size_t>& order) const;
  void keep(std::shared_ptr<const DeviceBatches> batches);
  // Reports once why they are cached in host memory instead.
  void refuse(const std::string& why);

 private:
  const std::string where_;
  mutable std::mutex mutex_;
  std::shared_ptr<const DeviceBatches> kept_;
  bool said_ = false;
};

// Allocates memory for all batches of a plan; throws OutOfMemory.
std::shared_ptr<DeviceBatches> room_for(const FeedPlan& plan, const std::vector<size_t>& order,
                                        const device::Device& device);

}  // namespace stoker::data
