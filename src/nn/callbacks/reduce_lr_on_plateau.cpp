#include "stoker/callbacks/reduce_lr_on_plateau.h"

#include <fmt/format.h>

#include "nn/callbacks/callback_states.h"
#include "nn/callbacks/monitor.h"
#include "nn/config/register.h"
#include "stoker/model.h"
#include "stoker/say.h"

namespace stoker::callbacks {

template <class V>
void visit(ReduceLROnPlateauArgs& a, V& v) {
  v("monitor", a.monitor);
  v("factor", a.factor);
  v("patience", a.patience);
  v("verbose", a.verbose);
  v("mode", a.mode);
  v("min_delta", a.min_delta);
  v("cooldown", a.cooldown);
  v("min_lr", a.min_lr);
}

namespace {

class Reducer : public Callback, public Resumable {
 public:
  explicit Reducer(const ReduceLROnPlateauArgs& args)
      : args_(args), monitor_("ReduceLROnPlateau", {args.monitor, args.mode, args.min_delta}) {
    if (args.factor >= 1 || args.factor <= 0)
      throw InvalidArgument(
          fmt::format("ReduceLROnPlateau: factor must be between 0 and 1, got {}.", args.factor));
  }

  void on_train_begin(const Logs&) override {
    best_.reset();
    wait_ = cooling_ = 0;
  }

  void on_epoch_end(int64_t epoch, Logs& logs) override {
    logs.set("learning_rate", model().optimizer().learning_rate());
    const auto current = monitor_.value(logs, params(), model());
    if (!current) return;
    if (cooling_ > 0) {
      --cooling_;
      wait_ = 0;
    }
    if (monitor_.improves(*current, best_)) {
      best_ = current;
      wait_ = 0;
    } else if (cooling_ == 0 && ++wait_ >= args_.patience) {
      reduce(epoch);
    }
  }

  std::string kind() const override { return "ReduceLROnPlateau"; }
  CallbackState state() const override {
    return {
        Config::map({{"best", nn::optional_value(best_)}, {"wait", wait_}, {"cooling", cooling_}})};
  }
  void resume(const CallbackState& state) override {
    best_ = nn::optional_value(state.values, "best");
    wait_ = state.values.find("wait")->as_int();
    cooling_ = state.values.find("cooling")->as_int();
  }

 private:
  void reduce(int64_t epoch) {
    const double rate = model().optimizer().learning_rate();
    // The rate is float32 on the device: compare it with min_lr rounded to float32.
    if (rate <= static_cast<float>(args_.min_lr)) return;
    const double reduced = std::max(rate * args_.factor, args_.min_lr);
    model().optimizer().set_learning_rate(reduced);
    if (args_.verbose > 0)
      say(stdout, fmt::format("\nEpoch {}: ReduceLROnPlateau reducing learning rate to {}.\n",
                              epoch + 1, reduced));
    cooling_ = args_.cooldown;
    wait_ = 0;
  }

  ReduceLROnPlateauArgs args_;
  nn::Monitor monitor_;
  std::optional<double> best_;
  int64_t wait_ = 0, cooling_ = 0;
};

const nn::Register<ReduceLROnPlateauArgs, CallbackRef> registered{"ReduceLROnPlateau",
                                                                  ReduceLROnPlateau};

}  // namespace

CallbackRef ReduceLROnPlateau(const ReduceLROnPlateauArgs& args) {
  return std::make_shared<Reducer>(args);
}

}  // namespace stoker::callbacks
