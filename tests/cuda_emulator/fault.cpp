#include "fault.h"

#include <fmt/format.h>

#include <array>
#include <csetjmp>
#include <csignal>
#include <memory>

namespace stoker::emulator {
namespace {

constexpr std::array faults{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr size_t stack_bytes = 64 * 1024;

thread_local sigjmp_buf* way_out = nullptr;
thread_local void* address = nullptr;

const char* meaning(int signal) {
  switch (signal) {
    case SIGFPE:
      return "an integer division by zero or one that overflows";
    case SIGILL:
    case SIGTRAP:
      return "a misaligned access, or an index outside a local or shared array";
    default:
      return "an access to memory that is not there";
  }
}

void on_fault(int signal, siginfo_t* info, void*) {
  if (!way_out) {  // not in a kernel: default handling
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  address = info->si_addr;
  siglongjmp(*way_out, signal);
}

// A stack overflow must be handled on another stack.
void give_signal_stack() {
  thread_local std::unique_ptr<char[]> memory;
  if (memory) return;
  memory = std::make_unique<char[]>(stack_bytes);
  stack_t stack{};
  stack.ss_sp = memory.get();
  stack.ss_size = stack_bytes;
  sigaltstack(&stack, nullptr);
}

class Handlers {
 public:
  Handlers() {
    give_signal_stack();
    struct sigaction ours {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (size_t i = 0; i < faults.size(); ++i) sigaction(faults[i], &ours, &before_[i]);
  }
  ~Handlers() {
    for (size_t i = 0; i < faults.size(); ++i) sigaction(faults[i], &before_[i], nullptr);
  }

 private:
  std::array<struct sigaction, faults.size()> before_{};
};

}  // namespace

std::optional<std::string> run_guarded(void (*body)(void*), void* context) {
  const Handlers handlers;
  sigjmp_buf out;
  const int signal = sigsetjmp(out, 1);
  if (signal == 0) {
    way_out = &out;
    body(context);
  }
  way_out = nullptr;
  if (signal == 0) return std::nullopt;
  return fmt::format("{} (address {})", meaning(signal), address);
}

}  // namespace stoker::emulator
