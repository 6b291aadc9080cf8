#pragma once

namespace stoker::ops {

// While it lives, steps traced by this thread omit functions on the host: a trial of the step's
// time without them. Their results are replaced by an input of the same type, or zeros, so the
// step's results are meaningless.
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
