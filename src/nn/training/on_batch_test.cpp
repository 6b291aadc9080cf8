#include "nn/test_models.h"
#include "support/fake_gpu.h"

namespace stoker {
namespace {

using namespace test;

struct OnBatch : stoker::testing::FakeGpu {};

// To describe a GPU takes longer than a small step.
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

}  // namespace
}  // namespace stoker
