#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <string>

// Which tests start threads, found by what they do. A test counts if a thread is joined while it
// runs: one of its own, or one of the library that it tests. Threads that stay until the process
// ends, the pool of the kernels, do not count: whichever test came first would have started them.
// tools/run_tests.py reads the property from the reports and gives these tests to ThreadSanitizer.
namespace {

std::atomic<int> joined{0};

class ThreadWatch : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override { joined = 0; }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (joined > 0) ::testing::Test::RecordProperty("starts_threads", test.file());
  }
};

const bool watches = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new ThreadWatch);
  return true;
}();

}  // namespace

// The program's definition takes precedence over the C library's, for plugins, too.
extern "C" int pthread_join(pthread_t thread, void** result) {
  static const auto original =
      reinterpret_cast<decltype(&pthread_join)>(dlsym(RTLD_NEXT, "pthread_join"));
  ++joined;
  return original(thread, result);
}
