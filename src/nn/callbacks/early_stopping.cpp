#include "stoker/callbacks/early_stopping.h"

#include <fmt/format.h>

#include "nn/callbacks/callback_states.h"
#include "nn/callbacks/monitor.h"
#include "nn/config/register.h"
#include "stoker/model.h"
#include "stoker/say.h"

namespace stoker::callbacks {

template <class V>
void visit(EarlyStoppingArgs& a, V& v) {
  v("monitor", a.monitor);
  v("min_delta", a.min_delta);
  v("patience", a.patience);
  v("verbose", a.verbose);
  v("mode", a.mode);
  v("baseline", a.baseline);
  v("restore_best_weights", a.restore_best_weights);
  v("start_from_epoch", a.start_from_epoch);
}

namespace {

class Stopper : public Callback, public Resumable {
 public:
  explicit Stopper(const EarlyStoppingArgs& args)
      : args_(args), monitor_("EarlyStopping", {args.monitor, args.mode, args.min_delta}) {}

  void on_train_begin(const Logs&) override {
    wait_ = best_epoch_ = 0;
    stopped_epoch_ = -1;
    best_.reset();
    best_weights_.clear();
  }

  void on_epoch_end(int64_t epoch, Logs& logs) override {
    const auto current = monitor_.value(logs, params(), model());
    if (!current || epoch < args_.start_from_epoch) return;
    ++wait_;
    if (monitor_.improves(*current, best_)) {
      remember(epoch, *current);
    } else if (wait_ >= args_.patience && epoch > 0) {
      stopped_epoch_ = epoch;
      model().stop_training = true;
    }
  }

  void on_train_end(const Logs&) override {
    if (stopped_epoch_ >= 0 && args_.verbose > 0)
      say(stdout, fmt::format("Epoch {}: early stopping\n", stopped_epoch_ + 1));
    if (best_weights_.empty()) return;
    if (args_.verbose > 0)
      say(stdout, fmt::format("Restoring model weights from the end of the best epoch: {}.\n",
                              best_epoch_ + 1));
    model().set_weights(best_weights_);
    best_weights_.clear();
  }

  std::string kind() const override { return "EarlyStopping"; }
  CallbackState state() const override {
    return {Config::map({{"best", nn::optional_value(best_)},
                         {"best_epoch", best_epoch_},
                         {"wait", wait_},
                         {"stopped_epoch", stopped_epoch_}}),
            best_weights_};
  }
  void resume(const CallbackState& state) override {
    const auto number = [&](const char* name) { return state.values.find(name)->as_int(); };
    best_ = nn::optional_value(state.values, "best");
    best_epoch_ = number("best_epoch");
    wait_ = number("wait");
    stopped_epoch_ = number("stopped_epoch");
    best_weights_ = state.arrays;
    if (stopped_epoch_ >= 0) model().stop_training = true;
  }

 private:
  void remember(int64_t epoch, double value) {
    best_ = value;
    best_epoch_ = epoch;
    if (args_.restore_best_weights) best_weights_ = model().get_weights();
    if (!args_.baseline || monitor_.improves(value, args_.baseline)) wait_ = 0;
  }

  EarlyStoppingArgs args_;
  nn::Monitor monitor_;
  int64_t wait_ = 0, best_epoch_ = 0, stopped_epoch_ = -1;
  std::optional<double> best_;
  std::vector<Array> best_weights_;
};

const nn::Register<EarlyStoppingArgs, CallbackRef> registered{"EarlyStopping", EarlyStopping};

}  // namespace

CallbackRef EarlyStopping(const EarlyStoppingArgs& args) { return std::make_shared<Stopper>(args); }

}  // namespace stoker::callbacks
