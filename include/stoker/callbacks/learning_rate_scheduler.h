#pragma once
#include <functional>

#include "stoker/callback.h"

namespace stoker {
class Schedule;
}

namespace stoker::callbacks {

// A function of (epoch) or (epoch, learning_rate), or a schedule with epochs as steps.
class EpochSchedule {
 public:
  using Function = std::function<double(int64_t epoch, double learning_rate)>;
  EpochSchedule() = default;
  EpochSchedule(std::shared_ptr<const Schedule> schedule);  // NOLINT
  template <class F>
  requires std::is_invocable_r_v<double, F, int64_t, double> EpochSchedule(F f)
      : function_(std::move(f)) {}  // NOLINT
  template <class F>
  requires std::is_invocable_r_v<double, F, int64_t> EpochSchedule(F f)  // NOLINT
      : function_([f = std::move(f)](int64_t epoch, double) { return f(epoch); }) {}
  explicit operator bool() const { return static_cast<bool>(function_); }
  double operator()(int64_t epoch, double rate) const { return function_(epoch, rate); }

 private:
  Function function_;
};

struct LearningRateSchedulerArgs {
  EpochSchedule schedule = {};
  int verbose = 0;
};
// Sets the learning rate at the beginning of each epoch.
CallbackRef LearningRateScheduler(const LearningRateSchedulerArgs& args);

}  // namespace stoker::callbacks
