#include <gtest/gtest.h>

#include <future>
#include <optional>

#include "compile_ahead.h"
#include "memory/copies.h"
#include "on_device.h"
#include "program.h"
#include "with_control.h"

// The host must never wait for the GPU while holding a lock that other threads need.
namespace stoker::cuda {
namespace {

int waits = 0, waits_with_guard = 0;

// Another thread must be able to launch meanwhile.
void look_at_guard() {
  ++waits;
  const bool is_free = std::async(std::launch::async, [] {
                         const std::unique_lock lock(*gpu(0).guard, std::try_to_lock);
                         return lock.owns_lock();
                       }).get();
  waits_with_guard += is_free ? 0 : 1;
}

class CudaLocks : public ::testing::Test {
 protected:
  CudaLocks() {
    waits = waits_with_guard = 0;
    control->on_wait = look_at_guard;
  }
  WithControl control;
};

TEST_F(CudaLocks, ARunWaitsForEarlierOnesBeforeItLocksTheGpu) {
  auto kernel = make_kernel({}, [](Encoder&, void* const*, void*) {});
  const StokerCall call{.kernel = kernel.get()};
  Program program(gpu(0), {&call, 1}, drivers_memory);
  for (int run = 0; run < 3; ++run) program.run({nullptr, nullptr, 2});
  waits = 0;
  for (int run = 0; run < 5; ++run) program.run({nullptr, nullptr, 2});
  EXPECT_EQ(waits, 5);
  EXPECT_EQ(waits_with_guard, 0);
}

// An event for each step would take as long as the calls, but the host must not run too far ahead
// of the GPU.
TEST_F(CudaLocks, SmallStepsShareAMark) {
  auto kernel = make_kernel({}, [](Encoder&, void* const*, void*) {});
  const StokerCall call{.kernel = kernel.get()};
  Program one(gpu(0), {&call, 1}, drivers_memory), other(gpu(0), {&call, 1}, drivers_memory);
  for (int run = 0; run < 160; ++run) (run % 2 == 0 ? one : other).run({nullptr, nullptr, 1});
  EXPECT_GE(waits,
            3);  // of five events the first has none before it, and nothing runs after the last
  EXPECT_LE(waits, 6);
}

TEST_F(CudaLocks, SmallCopiesShareAMark) {
  const OnDevice<int> there(std::vector<int>(1000, 0));
  int sum = 0;
  for (int turn = 0; turn < 500; ++turn) {
    const std::vector<int> here(1000, turn);
    copy(gpu(0), there.at(), here.data(), 4000, stoker_host_to_device);
    if (turn % 100 == 99) sum += there.values()[999];
  }
  EXPECT_EQ(sum, 99 + 199 + 299 + 399 + 499);
  EXPECT_GE(waits, 2);
  EXPECT_LE(waits, 10);
}

TEST_F(CudaLocks, CopiesWaitWithoutThem) {
  for (const size_t bytes : {size_t{100}, size_t{300} << 10, size_t{20} << 20}) {
    const OnDevice<char> there(std::vector<char>(bytes, 'a'));
    std::vector<char> here(bytes, 'b');
    for (int turn = 0; turn < 20; ++turn)
      copy(gpu(0), there.at(), here.data(), bytes, stoker_host_to_device);
    EXPECT_EQ(there.values(), here);
    std::vector<char> back(bytes, 'c');
    copy(gpu(0), back.data(), there.at(), bytes, stoker_device_to_host);
    EXPECT_EQ(back, here);
    std::fill(here.begin(), here.end(), 'd');
    copy(gpu(0), there.at(), here.data(), bytes, stoker_host_to_idle_device);
    EXPECT_EQ(there.values(), here);
  }
  finish(gpu(0));
  EXPECT_GT(waits, 60);
  EXPECT_EQ(waits_with_guard, 0);
}

TEST(CudaCopies, AKernelCopiesEveryByteAndNoMore) {
  std::vector<char> from(9000);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i % 127 + 1);
  const OnDevice<char> source(from);
  for (const size_t bytes : {1, 16, 1000, 4096, 8208})
    for (const size_t first : {0, 16, 3}) {
      const OnDevice<char> to(std::vector<char>(9000, 0));
      copy_by_kernel(gpu(0), static_cast<char*>(to.at()) + first,
                     static_cast<char*>(source.at()) + first, bytes);
      std::vector<char> expected(9000, 0);
      std::copy_n(from.begin() + static_cast<ptrdiff_t>(first), bytes,
                  expected.begin() + static_cast<ptrdiff_t>(first));
      EXPECT_EQ(to.values(), expected) << bytes << " bytes from " << first;
    }
}

TEST_F(CudaLocks, TicketsAreGivenOutWithoutWaiting) {
  control->events_pending = true;
  Tickets tickets;
  const StokerTicket first = tickets.record(gpu(0).stream);
  for (int i = 0; i < 1000; ++i) tickets.record(gpu(0).copy_stream);
  tickets.let_wait(gpu(0).stream, 0);
  EXPECT_EQ(waits, 0);
  tickets.wait(first);  // not done, however old
  EXPECT_EQ(waits, 1);
}

TEST(CudaFunction, IsNotTheOneThatWasInItsPlaceBefore) {
  std::optional<Function> function;
  function.emplace("extern \"C\" __global__ void one(int* x) { *x = 1; }\n", "one");
  const CUfunction first = function->on(gpu(0));
  EXPECT_EQ(function->on(gpu(0)), first);
  function.emplace("extern \"C\" __global__ void two(int* x) { *x = 2; }\n", "two");
  EXPECT_NE(function->on(gpu(0)), first);
}

// A thread that uses a function waits for its compilation, and gets its compile errors.
TEST(CudaFunction, IsCompiledAheadAndThenReady) {
  const auto good =
                 make_function("extern \"C\" __global__ void ahead(int* x) { *x = 7; }\n", "ahead"),
             bad =
                 make_function("extern \"C\" __global__ void wrong(int* x) { y = 7; }\n", "wrong");
  compile_ahead({good, bad, good}, gpu(0));
  const OnDevice<int> x({0});
  Encoder(gpu(0)).launch(*good, {.blocks = 1, .threads = 1}, x.at());
  EXPECT_EQ(x.values()[0], 7);
  EXPECT_THROW(bad->on(gpu(0)), CudaError);
}

}  // namespace
}  // namespace stoker::cuda
