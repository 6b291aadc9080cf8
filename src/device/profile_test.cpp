#include "device/profile.h"

#include <algorithm>
#include <set>

#include "device/scope.h"
#include "device/transfer.h"
#include "nn/test_models.h"
#include "stoker/function.h"
#include "support/fake_gpu.h"

// When the calls of a step ran, by layer and node.
namespace stoker::device {
namespace {

// On the CPU, or whatever the default device is.
TEST(DeviceProfile, BooksTheCallsOnLayers) {
  const Device device = current_device("a test");
  auto model = test::classifier();
  const Array x = test::random_array({64, test::features});
  model.predict(x);
  start_profile(device);
  model.predict(x);
  stop_profile(device);
  model.predict(x);  // not profiled
  const auto spans = read_profile(device);
  EXPECT_TRUE(read_profile(device).empty());
  std::set<std::string> layers;
  for (size_t i = 0; i < spans.size(); ++i) {
    layers.insert(spans[i].name.substr(0, spans[i].name.rfind('/')));
    EXPECT_GE(spans[i].end, spans[i].begin);
    EXPECT_GE(spans[i].node, 0);
    if (i > 0) {
      EXPECT_GE(spans[i].begin, spans[i - 1].end);
    }
  }
  for (const LayerRef& layer : model.layers())
    EXPECT_TRUE(layers.contains(model.name() + "/" + layer->name()))
        << ::testing::PrintToString(layers);
}

class ProfileOfFakeGpu : public stoker::testing::FakeGpu {};

TEST_F(ProfileOfFakeGpu, NamesWhatTheCpuDoesForIt) {
  refuse("erf");
  const auto step = function([](const Tensor& x) { return ops::exp(ops::erf(x) + 1.0); });
  const Tensor x(test::random_array({5}));
  step(x);
  start_profile(host_device());
  step(x);
  stop_profile(host_device());
  const auto spans = read_profile(host_device());
  const auto found = std::ranges::find(spans, "erf", &Span::name);
  ASSERT_NE(found, spans.end());
  EXPECT_GE(found->node, 0);
  for (const Span& span : spans) EXPECT_NE(span.name, "");
}

TEST_F(ProfileOfFakeGpu, IsRefusedInASentence) {
  const Device gpu = place("fake:0", "a test");
  const std::string text = stoker::testing::message_of<Unsupported>([&] { start_profile(gpu); });
  EXPECT_NE(text.find("cannot be profiled: backend \"fake\" has no profiler."), std::string::npos)
      << text;
  EXPECT_NE(stoker::testing::message_of<Unsupported>([&] { read_profile(gpu); }), "no error");
}

TEST_F(ProfileOfFakeGpu, TicketsKnowTheTimeBetweenThem) {
  control.step_nanoseconds = 700;
  const Device gpu = place("fake:0", "a test");
  const auto step = function([](const Tensor& x) { return x * 2.0; });
  const Tensor x(test::random_array({5}));
  step(x);
  const int64_t before = control.steps;
  const StokerTicket from = mark(gpu);
  for (int i = 0; i < 3; ++i) step(x);
  const StokerTicket to = mark(gpu);
  EXPECT_GE(control.steps - before, 3);
  EXPECT_EQ(elapsed_nanoseconds(gpu, from, to), 700 * (control.steps - before));
  EXPECT_NE(stoker::testing::message_of<Unsupported>([&] {
              elapsed_nanoseconds(host_device(), 0, 0);
            }).find("backend \"cpu\" has none"),
            std::string::npos);
}

}  // namespace
}  // namespace stoker::device
