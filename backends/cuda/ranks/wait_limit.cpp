#include "ranks/wait_limit.h"

#include <fmt/format.h>

#include <mutex>
#include <thread>
#include <utility>

namespace stoker::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto interval = std::chrono::milliseconds(100);

}  // namespace

// Never destroyed: its thread runs until the process ends.
struct GpuWait::Limit {
  const double seconds;
  const std::function<void(const std::string&)> end;
  std::mutex mutex;
  std::list<Clock::time_point> waits;  // the oldest is the first

  bool is_over() {
    const std::lock_guard lock(mutex);
    const Clock::time_point begun = waits.empty() ? Clock::now() : waits.front();
    return std::chrono::duration<double>(Clock::now() - begun).count() > seconds;
  }
  void look() {
    while (!is_over()) std::this_thread::sleep_for(interval);
    end(
        fmt::format("no answer from another rank within {} s, the limit in "
                    "STOKER_DISTRIBUTION_TIMEOUT. This rank exits.",
                    seconds));
  }
};

std::atomic<GpuWait::Limit*> GpuWait::limit = nullptr;

void limit_waits(double seconds, std::function<void(const std::string&)> end) {
  if (GpuWait::limit.load(std::memory_order_acquire)) return;
  auto* const made = new GpuWait::Limit{seconds, std::move(end), {}, {}};
  GpuWait::limit.store(made, std::memory_order_release);
  std::thread([made] { made->look(); }).detach();
}

void lift_limit_of_waits() { GpuWait::limit.store(nullptr, std::memory_order_release); }

GpuWait::GpuWait() : limit_(limit.load(std::memory_order_acquire)) {
  if (!limit_) return;
  const std::lock_guard lock(limit_->mutex);
  begun_ = limit_->waits.insert(limit_->waits.end(), Clock::now());
}

GpuWait::~GpuWait() {
  if (!limit_) return;
  const std::lock_guard lock(limit_->mutex);
  limit_->waits.erase(begun_);
}

}  // namespace stoker::cuda
