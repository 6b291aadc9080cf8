#include "interrupt.h"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "stoker/interrupt.h"
#include "stoker/say.h"

namespace stoker::cli {
namespace {

volatile sig_atomic_t first_signal = 0;
volatile time_t asked_at = 0;  // time of the first SIGINT or SIGTERM, in milliseconds

time_t milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// `timeout` signals a program and then its process group: that is one request.
bool is_second_request() {
  constexpr time_t same_request = 200;
  const time_t now = milliseconds();
  if (asked_at != 0) return now - asked_at > same_request;
  asked_at = now;
  return false;
}

// Several SIGHUP and SIGPIPE may arrive: from the shell and the kernel, and one for each write.
void on_signal(int signal) {
  const bool is_request = signal == SIGINT || signal == SIGTERM;
  if (is_request && is_second_request()) _exit(128 + signal);
  if (first_signal == 0) first_signal = signal;
  interrupt();
}

bool is_ignored(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGINT, SIGTERM, SIGPIPE, SIGUSR1}) sigaction(signal, &action, nullptr);
  signal(SIGXFSZ, SIG_IGN);  // a file that exceeds `ulimit -f` is an error of its write
  if (!is_ignored(SIGHUP)) sigaction(SIGHUP, &action, nullptr);  // not under nohup
}

bool was_interrupted() { return first_signal != 0; }
int status_of_signal() { return 128 + first_signal; }

void warn_of_interrupt(const History& history) {
  if (const auto& part = history.interrupted)
    say(stderr, fmt::format("stoker: interrupted after {} of {} steps of epoch {}.\n", part->step,
                            part->of, part->epoch + 1));
}

}  // namespace stoker::cli
