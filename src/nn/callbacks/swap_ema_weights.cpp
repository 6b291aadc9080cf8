#include "stoker/callbacks/swap_ema_weights.h"

#include "nn/config/register.h"
#include "stoker/callbacks/resumable.h"
#include "stoker/model.h"

namespace stoker::callbacks {

template <class V>
void visit(SwapEMAWeightsArgs& a, V& v) {
  v("swap_on_epoch", a.swap_on_epoch);
}

namespace {

class Swap : public Callback, public Resumable {
 public:
  explicit Swap(bool on_epoch) : on_epoch_(on_epoch) {}

  void on_epoch_begin(int64_t, const Logs&) override {
    if (on_epoch_) use_averages(false);
  }
  void on_epoch_end(int64_t epoch, Logs&) override {
    if (!on_epoch_) return;
    use_averages(true);
    if (epoch == params().epochs - 1) model().optimizer().overwrite_averages();
  }
  // also during validation
  void on_interrupt(const PartialEpoch&) override { use_averages(on_epoch_); }
  void on_test_begin(const Logs&) override { use_averages(true); }
  void on_test_end(const Logs&) override { use_averages(false); }
  void on_predict_begin(const Logs&) override { use_averages(true); }
  void on_predict_end(const Logs&) override { use_averages(false); }

  std::string kind() const override { return "SwapEMAWeights"; }
  CallbackState state() const override {
    return {Config::map({{"averages_are_in", averages_are_in_}})};
  }
  void resume(const CallbackState& state) override {
    averages_are_in_ = state.values.find("averages_are_in")->as_bool();
  }

 private:
  void use_averages(bool use) {
    if (use == averages_are_in_) return;
    model().optimizer().swap_averages();
    averages_are_in_ = use;
  }
  bool on_epoch_, averages_are_in_ = false;
};

const nn::Register<SwapEMAWeightsArgs, CallbackRef> registered{"SwapEMAWeights", SwapEMAWeights};

}  // namespace

CallbackRef SwapEMAWeights(const SwapEMAWeightsArgs& args) {
  return std::make_shared<Swap>(args.swap_on_epoch);
}

}  // namespace stoker::callbacks
