#include "data/feeds/device_cache.h"

#include <fmt/format.h>

#include <utility>

#include "stoker/say.h"

namespace stoker::data {

std::shared_ptr<const DeviceBatches> DeviceCache::kept(const std::vector<size_t>& order) const {
  const std::lock_guard lock(mutex_);
  return kept_ && kept_->order == order ? kept_ : nullptr;
}

void DeviceCache::keep(std::shared_ptr<const DeviceBatches> batches) {
  const std::lock_guard lock(mutex_);
  kept_ = std::move(batches);
}

void DeviceCache::refuse(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(said_, true))
    say(stderr,
        fmt::format("stoker: {}: {}; they are cached in host memory instead.\n", where_, why));
}

std::shared_ptr<DeviceBatches> room_for(const FeedPlan& plan, const std::vector<size_t>& order,
                                        const device::Device& device) {
  auto room = std::make_shared<DeviceBatches>();
  room->order = order;
  for (const TensorType& type : plan.inputs(plan.own_batch_size)) {
    const auto bytes = static_cast<uint64_t>(type.bytes());
    room->batch_bytes.push_back(bytes);
    room->columns.emplace_back(device, static_cast<uint64_t>(plan.known_batches) * bytes,
                               "the batches that cache_on_device keeps",
                               device::MemoryKind::inputs);
  }
  return room;
}

}  // namespace stoker::data
