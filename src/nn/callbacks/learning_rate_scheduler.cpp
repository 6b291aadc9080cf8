#include "stoker/callbacks/learning_rate_scheduler.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/callbacks/callback_name.h"
#include "nn/config/register.h"
#include "stoker/model.h"
#include "stoker/say.h"

namespace stoker::callbacks {
namespace {

class Scheduler : public Callback, public nn::HasKerasName {
 public:
  std::string keras_name() const override { return "LearningRateScheduler"; }
  explicit Scheduler(const LearningRateSchedulerArgs& args) : args_(args) {
    if (!args.schedule) throw InvalidArgument("LearningRateScheduler needs \"schedule\".");
  }

  void on_epoch_begin(int64_t epoch, const Logs&) override {
    Optimizer& optimizer = model().optimizer();
    const double rate = args_.schedule(epoch, optimizer.learning_rate());
    if (!std::isfinite(rate))
      throw InvalidArgument(
          fmt::format("LearningRateScheduler: the schedule gave {} for epoch {}.", rate, epoch));
    optimizer.set_learning_rate(rate);
    if (args_.verbose > 0)
      say(stdout, fmt::format("\nEpoch {}: LearningRateScheduler setting learning rate to {}.\n",
                              epoch + 1, rate));
  }

  void on_epoch_end(int64_t, Logs& logs) override {
    logs.set("learning_rate", model().optimizer().learning_rate());
  }

 private:
  LearningRateSchedulerArgs args_;
};

// A recipe has schedules instead of functions.
struct RecipeArgs {
  Config schedule;
  int verbose = 0;
};
template <class V>
void visit(RecipeArgs& a, V& v) {
  v("schedule", a.schedule, nn::required);
  v("verbose", a.verbose);
}
CallbackRef from_recipe(const RecipeArgs& args) {
  const LearningRate rate(args.schedule);
  if (rate.schedule()) return LearningRateScheduler({rate.schedule(), args.verbose});
  return LearningRateScheduler({[value = rate.value()](int64_t) { return value; }, args.verbose});
}

const nn::Register<RecipeArgs, CallbackRef> registered{"LearningRateScheduler", from_recipe};

}  // namespace

EpochSchedule::EpochSchedule(std::shared_ptr<const Schedule> schedule)
    : function_([schedule = std::move(schedule)](int64_t epoch, double) {
        return (*schedule)(Tensor(Array::scalar(static_cast<float>(epoch)))).item();
      }) {}

CallbackRef LearningRateScheduler(const LearningRateSchedulerArgs& args) {
  return std::make_shared<Scheduler>(args);
}

}  // namespace stoker::callbacks
