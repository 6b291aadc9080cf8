#include <fstream>

#include "nn/test_models.h"
#include "support/fake_gpu.h"

namespace stoker {
namespace {

using namespace test;

struct OnBatch : stoker::testing::FakeGpu {};

// Describing a GPU takes longer than a small step.
TEST_F(OnBatch, AsksNothingOfTheDeviceOnceTheStepIsThere) {
  auto model = classifier();
  const auto data = samples(32);
  model.train_on_batch(data.x, data.y);
  const int64_t before = control.descriptions;
  model.train_on_batch(data.x, data.y);
  EXPECT_EQ(control.descriptions, before);
  model.test_on_batch(data.x, data.y);
  const int64_t tested = control.descriptions;
  model.test_on_batch(data.x, data.y);
  EXPECT_EQ(control.descriptions, tested);
}

// The columns are uploaded in one copy, all metrics are downloaded in one copy, and there is no
// other synchronisation.
TEST_F(OnBatch, CopiesOnceThereAndOnceBack) {
  auto model = classifier();
  const auto data = samples(32);
  for (const bool trains : {true, false}) {
    const auto run = [&] {
      return trains ? model.train_on_batch(data.x, data.y) : model.test_on_batch(data.x, data.y);
    };
    const size_t metrics = run().size();
    const auto before = control;
    EXPECT_EQ(run().size(), metrics);
    EXPECT_EQ(metrics, 2u);
    EXPECT_EQ(control.copies_to_host - before.copies_to_host, 1);
    EXPECT_EQ(control.copies_to_device - before.copies_to_device, 1);
    EXPECT_EQ(control.runs - before.runs, 1);
    EXPECT_EQ(control.waits, before.waits);
  }
}

TEST_F(OnBatch, GivesWhatTheCpuGives) {
  const auto data = samples(32);
  const auto logs = [&](const char* where) {
    const Device device(where);
    auto model = classifier();
    model.train_on_batch(data.x, data.y);
    return model.train_on_batch(data.x, data.y);
  };
  const Logs here = logs("/cpu:0"), there = logs("fake:0");
  EXPECT_EQ(here["loss"], there["loss"]);
  EXPECT_EQ(here["accuracy"], there["accuracy"]);
}

// Such as those that tell whether the machine has a GPU, which a training on the CPU mentions.
TEST(OnBatchOnTheCpu, ReadsNoFilesInASteadyState) {
  std::ifstream io("/proc/self/io");
  const auto reads = [&] {  // system calls of this process so far, with those of this function
    int64_t count = -1;
    io.clear();
    io.seekg(0);
    for (std::string name; io >> name >> count;)
      if (name == "syscr:") return count;
    return int64_t{-1};
  };
  if (reads() < 0) GTEST_SKIP() << "the kernel does not count a process's reads";
  auto model = classifier();
  const auto data = samples(32);
  const auto reads_of_a_step = [&] {
    const int64_t before = reads();
    model.train_on_batch(data.x, data.y);
    return reads() - before;
  };
  reads_of_a_step();  // compiles
  const int64_t none = [&, before = reads()] { return reads() - before; }();
  EXPECT_EQ(reads_of_a_step(), none);
}

}  // namespace
}  // namespace stoker
