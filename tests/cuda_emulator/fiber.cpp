#include "fiber.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>
#include <new>

namespace stoker::emulator {
namespace {

constexpr size_t stack_bytes = 128 * 1024, page = 4096;

// A separate function, since GCC forbids a jump within one.
[[noreturn, gnu::noinline]] void jump(void** place) { __builtin_longjmp(place, 1); }

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  void* mapped = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  stack_ = static_cast<char*>(mapped);
  mprotect(stack_, page, PROT_NONE);  // guard page for stack overflow
}
Fiber::~Fiber() { munmap(stack_, stack_bytes); }

// makecontext only passes ints.
void Fiber::begin(unsigned int high, unsigned int low) {
  auto* self = reinterpret_cast<Fiber*>(uintptr_t{high} << 32 | low);
  self->body_();
  self->started_ = false;
  jump(self->outside_);
}

void Fiber::start() {
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = stack_;
  context.uc_stack.ss_size = stack_bytes;
  context.uc_link = nullptr;
  const auto self = reinterpret_cast<uintptr_t>(this);
  makecontext(&context, reinterpret_cast<void (*)()>(begin), 2,
              static_cast<unsigned int>(self >> 32), static_cast<unsigned int>(self));
  started_ = true;
  setcontext(&context);
}

// After the first entry, by jumps: swapcontext makes a system call for the signal mask each time.
// The compiler's own jumps, because ThreadSanitizer intercepts the library's and assumes one stack.
void Fiber::enter() {
  if (__builtin_setjmp(outside_) != 0) return;
  if (started_) jump(inside_);
  start();
}

void Fiber::leave() {
  if (__builtin_setjmp(inside_) == 0) jump(outside_);
}

}  // namespace stoker::emulator
