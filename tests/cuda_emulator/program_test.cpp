#include "program.h"

#include <gtest/gtest.h>

#include "on_device.h"

// The order of a program's calls. The emulator runs graphs latest node first wherever the edges
// allow it.
namespace stoker::cuda {
namespace {

using Order = std::vector<int>;

// Calls that record their number and their argument's address.
class Calls {
 public:
  struct Given {
    std::vector<int32_t> after = {}, after_previous = {};
  };

  Calls(const std::vector<Given>& calls, const std::string& text, bool double_buffered)
      : log_(std::vector<int>(64, 0)), places_(std::vector<int>(2, 0)) {
    function_ = make_function(text + R"(
extern "C" __global__ void note(int* log, int number, const int* place, const int* places) {
  log[++log[0]] = number + 10 * int(place - places);
})",
                              "note");
    int* const places = static_cast<int*>(places_.at());
    const StokerPointer place{places, -1, double_buffered ? places + 1 : nullptr};
    std::vector<StokerCall> described;
    for (const Given& given : calls) {
      const int number = static_cast<int>(kernels_.size()) + 1;
      kernels_.push_back(
          make_kernel({function_}, [=, this](Encoder& encoder, void* const* a, void*) {
            encoder.launch(*function_, {.blocks = 1, .threads = 1}, log_.at(), number, a[0],
                           places_.at());
          }));
      described.push_back({.kernel = kernels_.back().get(),
                           .arguments = &place,
                           .num_arguments = 1,
                           .after = given.after.data(),
                           .after_previous = given.after_previous.data(),
                           .num_after = static_cast<int32_t>(given.after.size()),
                           .num_after_previous = static_cast<int32_t>(given.after_previous.size()),
                           .second_workspace = double_buffered ? places_.at() : nullptr});
    }
    program_ = std::make_unique<Program>(gpu(0), described, drivers_memory);
  }

  Order run(int64_t steps) {
    program_->run({nullptr, nullptr, steps});
    const std::vector<int> log = log_.values();
    return {log.begin() + 1, log.begin() + 1 + log[0]};
  }

 private:
  OnDevice<int> log_, places_;
  std::shared_ptr<Function> function_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::unique_ptr<Program> program_;
};

TEST(CudaProgram, RunsACallWhenThoseAreDoneThatItWaitsFor) {
  EXPECT_EQ(Calls({{}, {}, {{0}}}, "", false).run(2), (Order{2, 1, 3, 2, 1, 3}));
  EXPECT_EQ(Calls({{}, {{0}}, {{1}}}, "", false).run(2), (Order{1, 2, 3, 1, 2, 3}));
}

TEST(CudaProgram, LetsLaunchesTakeTurnsThatCountBlocks) {
  const std::string counts = "#include \"common/last_block.cuh\"\n";
  EXPECT_EQ(Calls({{}, {}, {}}, counts, false).run(2), (Order{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(Calls({{}, {}, {}}, counts, true).run(2), (Order{11, 12, 13, 1, 2, 3}));
}

// 11 is call 1 in the second buffer, which the first step of two uses.
TEST(CudaProgram, BeginsAStepBeforeThePreviousOneEndsWithADoubleBuffer) {
  const std::vector<Calls::Given> gather_and_step{{}, {{0}, {1}}};
  EXPECT_EQ(Calls(gather_and_step, "", true).run(2), (Order{1, 11, 12, 2}));
  EXPECT_EQ(Calls(gather_and_step, "", false).run(2), (Order{1, 2, 1, 2}));
}

// Call 2 reads what call 4 wrote in the previous step, and waits for call 3 as well.
TEST(CudaProgram, WaitsForTheWholeStepBeforeWhereItNeedsSomethingOfIt) {
  const std::vector<Calls::Given> two_updates{{}, {{0}, {3}}, {{1}}, {{1}, {3}}};
  EXPECT_EQ(Calls(two_updates, "", true).run(2), (Order{1, 11, 12, 14, 13, 2, 4, 3}));
}

TEST(CudaProgram, ReusesASecondBufferWhenItsStepHasEnded) {
  const std::vector<Calls::Given> gather_and_step{{}, {{0}, {1}}};
  EXPECT_EQ(Calls(gather_and_step, "", true).run(4), (Order{1 + 0, 11, 12, 11, 2, 1, 12, 2}));
}

// The sum of all inputs of a program, each at its own address. Only the first call adds something.
class Sum {
 public:
  explicit Sum(size_t calls = 2) : sum_(std::vector<int>(1, 0)), zero_(std::vector<int>(1, 0)) {
    function_ = make_function(R"(
extern "C" __global__ void add(int* sum, const int* value) { *sum += *value; })",
                              "add");
    kernel_ = make_kernel({function_}, [this](Encoder& encoder, void* const* a, void*) {
      encoder.launch(*function_, {.blocks = 1, .threads = 1}, sum_.at(), a[0]);
    });
    const StokerPointer input{nullptr, 0, nullptr}, zero{zero_.at(), -1, nullptr};
    std::vector<StokerCall> described;
    for (size_t i = 0; i < calls; ++i)
      described.push_back({.kernel = kernel_.get(),
                           .arguments = i == 0 ? &input : &zero,
                           .num_arguments = 1,
                           .after = &first_,
                           .num_after = i == 0 ? 0 : 1});
    program_ = std::make_unique<Program>(gpu(0), described, drivers_memory);
  }
  void add(void* value, const int64_t* stride = nullptr) { program_->run({&value, stride, 1}); }
  int value() const { return sum_.values()[0]; }

 private:
  const int32_t first_ = 0;
  OnDevice<int> sum_, zero_;
  std::shared_ptr<Function> function_;
  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<Program> program_;
};

TEST(CudaProgram, ReplaysGraphsForSeveralInputsThatTakeTurns) {
  const OnDevice<int> one({1}), ten({10}), hundred({100});
  Sum sum;
  uint64_t before = 0;
  for (int round = 0; round < 4; ++round) {
    if (round == 1) before = driver_counters().graph_launches;
    for (const auto* value : {&one, &ten, &hundred}) sum.add(value->at());
  }
  EXPECT_EQ(sum.value(), 4 * 111);
  EXPECT_EQ(driver_counters().graph_launches - before, 9u);  // all but the first of each
}

TEST(CudaProgram, LaunchesASingleCallWithoutAGraph) {
  const OnDevice<int> one({1}), ten({10});
  Sum sum(1);
  const int64_t stride = 4;
  const uint64_t before = driver_counters().graph_launches;
  for (int round = 0; round < 3; ++round) {
    sum.add(one.at());
    sum.add(ten.at(), &stride);
  }
  EXPECT_EQ(sum.value(), 33);
  EXPECT_EQ(driver_counters().graph_launches, before);
}

TEST(CudaProgram, ForgetsTheInputsItHasNotSeenForLongest) {
  std::vector<std::unique_ptr<OnDevice<int>>> values;
  for (int i = 0; i < 20; ++i) values.push_back(std::make_unique<OnDevice<int>>(std::vector{i}));
  Sum sum;
  for (int round = 0; round < 2; ++round)
    for (const auto& value : values) sum.add(value->at());
  EXPECT_EQ(sum.value(), 2 * 190);
}

// A slot that grows for other inputs moves, and the first one's graphs must not copy to its old
// address.
TEST(CudaProgram, GraphsFollowASlotThatGrows) {
  const OnDevice<int> small({1}), large(std::vector<int>(64, 5));
  Sum sum;
  const int64_t narrow = 4, wide = 128;
  for (int i = 0; i < 3; ++i) sum.add(small.at(), &narrow);
  for (int i = 0; i < 3; ++i) sum.add(large.at(), &wide);
  for (int i = 0; i < 3; ++i) sum.add(small.at(), &narrow);
  EXPECT_EQ(sum.value(), 3 + 15 + 3);
}

TEST(CudaTickets, OldOnesAreDone) {
  const Gpu& on = gpu(0);
  const StokerTicket first = on.tickets->record(on.stream);
  StokerTicket last = first;
  for (int i = 0; i < 1000; ++i) last = on.tickets->record(on.copy_stream);
  EXPECT_EQ(last, first + 1000);
  on.tickets->let_wait(on.stream, first);
  on.tickets->wait(first);
  on.tickets->wait(last);
  EXPECT_THROW(on.tickets->wait(last + 1), CudaError);
  EXPECT_THROW(on.tickets->nanoseconds(first, last), CudaError);
}

// The emulator's clock advances by a microsecond with each launch and copy.
TEST(CudaTickets, KnowTheTimeBetweenThem) {
  const Gpu& on = gpu(0);
  const OnDevice<char> memory(std::vector<char>(64));
  const StokerTicket from = on.tickets->record(on.stream);
  for (int i = 0; i < 3; ++i)
    check(driver().cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(memory.at()), 1, 64, on.stream),
          "filling");
  const StokerTicket to = on.tickets->record(on.stream);
  EXPECT_NEAR(static_cast<double>(on.tickets->nanoseconds(from, to)), 3000, 1);
  EXPECT_EQ(on.tickets->nanoseconds(to, to), 0);
}

TEST(CudaProgram, AsksAgainForMemoryThatThereWasNotEnoughOf) {
  const OnDevice<int> one({1});
  Sum sum;
  const int64_t stride = 4, much = int64_t{1} << 50;
  sum.add(one.at(), &stride);
  for (int time = 0; time < 2; ++time) {
    std::string said;
    try {
      sum.add(one.at(), &much);
    } catch (const CudaError& error) {
      said = error.what();
    }
    EXPECT_NE(said.find("no memory for an input slot"), std::string::npos) << said;
  }
  sum.add(one.at(), &stride);  // its slot has not moved
  EXPECT_EQ(sum.value(), 2);
}

}  // namespace
}  // namespace stoker::cuda
