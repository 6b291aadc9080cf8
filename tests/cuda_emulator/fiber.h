#pragma once
#include <functional>

namespace stoker::emulator {

// A coroutine with its own stack. enter() runs the body from its start, or continues where it left.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void enter();  // returns when the body leaves or ends
  void leave();  // called in the body
  bool ended() const { return !started_; }

 private:
  static void begin(unsigned int high, unsigned int low);
  void start();

  std::function<void()> body_;
  char* stack_;
  bool started_ = false;
  void *inside_[5], *outside_[5];  // as __builtin_setjmp requires
};

}  // namespace stoker::emulator
