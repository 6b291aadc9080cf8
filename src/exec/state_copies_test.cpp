#include "exec/state_copies.h"

#include "nn/test_models.h"
#include "stoker/function.h"
#include "support/fake_gpu.h"

// The fake GPU performs asynchronous copies as late as it may: when their ticket is waited for.
namespace stoker::exec {
namespace {

class CopiesOfStates : public stoker::testing::FakeGpu {};

TEST_F(CopiesOfStates, HaveTheValuesOfTheirMomentAndWaitForNoLaterStep) {
  leave_free(100 << 20);
  const Array small = test::random_array({3, 5}), large = test::random_array({5, 1 << 20});
  const Variable v(small, "v"), w(large, "w");
  const auto step = function([=](const Tensor& x) {
    v.assign(v + x);
    w.assign(w + x);
    return x;
  });
  const Tensor one(Array::scalar(1.0f));
  step(one);
  const std::vector<Array> expected = {v.array(), w.array()};
  const StateCopies copies({v.state(), w.state()});
  EXPECT_FALSE(copies.on_host());
  step(one);
  control.copies_to_host = control.waits = control.async_copies = 0;
  const std::vector<Array> found = copies.arrays();
  EXPECT_EQ(control.copies_to_host, 0);  // such a copy would wait for the steps
  EXPECT_EQ(control.waits, 0);
  EXPECT_EQ(control.async_copies, 3);  // 20 MB in pieces of 8 MB
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(found[i].data<float>(), expected[i].data<float>())) << i;
}

TEST_F(CopiesOfStates, AreMadeOnTheHostWhereTheDeviceHasNoRoom) {
  const Variable v(test::random_array({1000}), "v");
  const Array expected = v.array();
  const auto step = function([=](const Tensor& x) { return v + x; });
  step(Tensor(Array::scalar(0.0f)));
  leave_free(1000);
  const StateCopies copies({v.state()});
  EXPECT_TRUE(copies.on_host());
  EXPECT_TRUE(std::ranges::equal(copies.arrays()[0].data<float>(), expected.data<float>()));
}

}  // namespace
}  // namespace stoker::exec
