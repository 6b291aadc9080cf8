#pragma once

namespace stoker::ops {

// While it lives, steps that this thread traces leave the functions on the host out: a trial of
// what the step would take without them. What a function gives is stood in for by an input of the
// same type, or zeros, so the results mean nothing.
class WithoutHostCalls {
 public:
  WithoutHostCalls() { ++depth(); }
  ~WithoutHostCalls() { --depth(); }
  WithoutHostCalls(const WithoutHostCalls&) = delete;
  WithoutHostCalls& operator=(const WithoutHostCalls&) = delete;
  static bool active() { return depth() > 0; }

 private:
  static int& depth();
};

}  // namespace stoker::ops
