#pragma once
#include <mutex>
#include <string>

#include "data/feed_plan.h"
#include "device/memory/buffer.h"

namespace stoker::data {

// Batches in the memory of a device, behind each other, with room for full ones.
struct DeviceBatches {
  std::vector<size_t> order;            // the array of an element that each column is
  std::vector<device::Buffer> columns;  // of all batches
  std::vector<uint64_t> batch_bytes;    // of a full batch, by column
  std::vector<int64_t> rows;            // of each batch
  StokerTicket sent = 0;                // all are there when it is done

  // Where batch i of a column lies.
  device::Buffer at(size_t column, int64_t i) const {
    const uint64_t bytes = batch_bytes[column];
    return columns[column].part(static_cast<uint64_t>(i) * bytes, bytes);
  }
};

// What cache_on_device keeps on one device: the batches of one whole pass. All passes and fits over
// a dataset and its copies share it.
class DeviceCache {
 public:
  explicit DeviceCache(std::string where) : where_(std::move(where)) {}

  // Null: there was no whole pass yet, or it was of other columns.
  std::shared_ptr<const DeviceBatches> kept(const std::vector<size_t>& order) const;
  void keep(std::shared_ptr<const DeviceBatches> batches);
  // Says, once, why they are kept in host memory instead.
  void refuse(const std::string& why);

 private:
  const std::string where_;
  mutable std::mutex mutex_;
  std::shared_ptr<const DeviceBatches> kept_;
  bool said_ = false;
};

// Room for all batches of a plan; throws OutOfMemory.
std::shared_ptr<DeviceBatches> room_for(const FeedPlan& plan, const std::vector<size_t>& order,
                                        const device::Device& device);

}  // namespace stoker::data
