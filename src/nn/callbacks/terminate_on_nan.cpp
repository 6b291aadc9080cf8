#include "stoker/callbacks/terminate_on_nan.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/callbacks/callback_name.h"
#include "nn/config/register.h"
#include "stoker/model.h"
#include "stoker/say.h"

namespace stoker::callbacks {
namespace {

class Terminator : public Callback, public nn::HasKerasName {
 public:
  std::string keras_name() const override { return "TerminateOnNaN"; }
  void on_train_batch_end(int64_t batch, const Logs& logs) override {
    const double* loss = logs.find("loss");
    if (!loss || std::isfinite(*loss)) return;
    say(stdout, fmt::format("Batch {}: Invalid loss, terminating training\n", batch));
    model().stop_training = true;
  }
};

struct NoArgs {};
template <class V>
void visit(NoArgs&, V&) {}
CallbackRef from_recipe(const NoArgs&) { return TerminateOnNaN(); }

const nn::Register<NoArgs, CallbackRef> registered{"TerminateOnNaN", from_recipe};

}  // namespace

CallbackRef TerminateOnNaN() { return std::make_shared<Terminator>(); }

}  // namespace stoker::callbacks
