#include "interrupt.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "command.h"
#include "stoker/model.h"

namespace stoker::cli {
namespace {

volatile sig_atomic_t signals = 0;

void on_signal(int) {
  signals = signals + 1;
  if (signals > 1) _exit(interrupted_by_user);
  interrupt();
}

class PassOn : public Callback {
  void on_train_begin(const Logs&) override {
    if (was_interrupted()) interrupt();
  }
};

}  // namespace

void handle_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool was_interrupted() { return signals > 0; }

void warn_of_result(bool loss_is_finite, int64_t epochs) {
  if (!loss_is_finite)
    fmt::print(stderr,
               "stoker: the loss became NaN or infinite. Hint: numbers in the data that are not "
               "finite? Else a smaller learning_rate, or clipnorm; the callback TerminateOnNaN "
               "ends such a "
               "training at once.\n");
  if (was_interrupted()) fmt::print(stderr, "stoker: interrupted in epoch {}.\n", epochs);
}

CallbackRef pass_on_interrupt() { return std::make_shared<PassOn>(); }

}  // namespace stoker::cli
