#include "stoker/callbacks/lambda_callback.h"

#include "nn/callbacks/callback_name.h"

namespace stoker::callbacks {
namespace {

class Functions : public Callback, public nn::HasKerasName {
 public:
  std::string keras_name() const override { return "LambdaCallback"; }
  explicit Functions(const LambdaCallbackArgs& args) : on_(args) {}

  int64_t batch_interval() const override {
    return on_.on_train_batch_begin || on_.on_train_batch_end || on_.on_test_batch_begin ||
           on_.on_test_batch_end || on_.on_predict_batch_begin || on_.on_predict_batch_end;
  }
  void on_train_begin(const Logs& l) override { call(on_.on_train_begin, l); }
  void on_train_end(const Logs& l) override { call(on_.on_train_end, l); }
  void on_epoch_begin(int64_t n, const Logs& l) override { call(on_.on_epoch_begin, n, l); }
  void on_epoch_end(int64_t n, Logs& l) override { call(on_.on_epoch_end, n, l); }
  void on_train_batch_begin(int64_t n, const Logs& l) override {
    call(on_.on_train_batch_begin, n, l);
  }
  void on_train_batch_end(int64_t n, const Logs& l) override { call(on_.on_train_batch_end, n, l); }
  void on_test_begin(const Logs& l) override { call(on_.on_test_begin, l); }
  void on_test_end(const Logs& l) override { call(on_.on_test_end, l); }
  void on_test_batch_begin(int64_t n, const Logs& l) override {
    call(on_.on_test_batch_begin, n, l);
  }
  void on_test_batch_end(int64_t n, const Logs& l) override { call(on_.on_test_batch_end, n, l); }
  void on_predict_begin(const Logs& l) override { call(on_.on_predict_begin, l); }
  void on_predict_end(const Logs& l) override { call(on_.on_predict_end, l); }
  void on_predict_batch_begin(int64_t n, const Logs& l) override {
    call(on_.on_predict_batch_begin, n, l);
  }
  void on_predict_batch_end(int64_t n, const Logs& l) override {
    call(on_.on_predict_batch_end, n, l);
  }

 private:
  template <class F, class... Args>
  static void call(const F& function, Args&&... args) {
    if (function) function(args...);
  }
  LambdaCallbackArgs on_;
};

}  // namespace

CallbackRef LambdaCallback(const LambdaCallbackArgs& args) {
  return std::make_shared<Functions>(args);
}

}  // namespace stoker::callbacks
