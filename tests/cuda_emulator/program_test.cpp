#include "program.h"

#include <gtest/gtest.h>

#include "on_device.h"

// In which order a program's calls run. The emulator runs graphs latest node first wherever their
// edges allow it.
namespace stoker::cuda {
namespace {

using Order = std::vector<int>;

// Calls that write down their number and where their argument lies.
class Calls {
 public:
  struct Given {
    std::vector<int32_t> after = {}, after_previous = {};
  };

  Calls(const std::vector<Given>& calls, const std::string& text, bool twins)
      : log_(std::vector<int>(64, 0)), places_(std::vector<int>(2, 0)) {
    function_ = make_function(text + R"(
extern "C" __global__ void note(int* log, int number, const int* place, const int* places) {
  log[++log[0]] = number + 10 * int(place - places);
})",
                              "note");
    int* const places = static_cast<int*>(places_.at());
    const StokerPointer place{places, -1, twins ? places + 1 : nullptr};
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
                           .twin_workspace = twins ? places_.at() : nullptr});
    }
    program_ = std::make_unique<Program>(gpu(0), described);
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
  const std::string counts = "__device__ bool is_last_block();\n";
  EXPECT_EQ(Calls({{}, {}, {}}, counts, false).run(2), (Order{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(Calls({{}, {}, {}}, counts, true).run(2), (Order{11, 12, 13, 1, 2, 3}));
}

// 11 is call 1 at the twin of its place, where every step but the last of two works.
TEST(CudaProgram, BeginsAStepBeforeTheLastOneEndsWhereThereAreTwins) {
  const std::vector<Calls::Given> gather_and_step{{}, {{0}, {1}}};
  EXPECT_EQ(Calls(gather_and_step, "", true).run(2), (Order{1, 11, 12, 2}));
  EXPECT_EQ(Calls(gather_and_step, "", false).run(2), (Order{1, 2, 1, 2}));
}

// Call 2 reads what call 4 wrote in the step before, and waits for call 3 as well.
TEST(CudaProgram, WaitsForTheWholeStepBeforeWhereItNeedsSomethingOfIt) {
  const std::vector<Calls::Given> two_updates{{}, {{0}, {3}}, {{1}}, {{1}, {3}}};
  EXPECT_EQ(Calls(two_updates, "", true).run(2), (Order{1, 11, 12, 14, 13, 2, 4, 3}));
}

TEST(CudaProgram, ReusesATwinWhenItsStepIsOver) {
  const std::vector<Calls::Given> gather_and_step{{}, {{0}, {1}}};
  EXPECT_EQ(Calls(gather_and_step, "", true).run(4), (Order{1 + 0, 11, 12, 11, 2, 1, 12, 2}));
}

TEST(CudaProgram, AsksAgainForMemoryThatThereWasNotEnoughOf) {
  const OnDevice<int> batch(std::vector<int>(4, 0));
  auto kernel = make_kernel({}, [](Encoder&, void* const*, void*) {});
  const StokerPointer input{nullptr, 0, nullptr};
  const StokerCall call{.kernel = kernel.get(), .arguments = &input, .num_arguments = 1};
  Program program(gpu(0), {&call, 1});
  void* const inputs[] = {batch.at()};
  const int64_t strides[] = {int64_t{1} << 50};
  for (int time = 0; time < 2; ++time) {
    std::string said;
    try {
      program.run({inputs, strides, 1});
    } catch (const CudaError& error) {
      said = error.what();
    }
    EXPECT_NE(said.find("allocating an input slot"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace stoker::cuda
