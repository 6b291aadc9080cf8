#include <set>

#include "device/scope.h"
#include "ledger/ledger.h"
#include "nn/test_models.h"

// A backend's profile: the layer and the time of each call.
namespace stoker {
namespace {

using namespace test;

std::vector<StokerSpan> read_all(const StokerBackend& table) {
  std::vector<StokerSpan> spans(1000);
  spans.resize(static_cast<size_t>(table.read_profile(0, spans.data(), 1000)));
  return spans;
}

TEST(Profile, OfTheCpuBooksTimeOnLayers) {
  const device::Scope scope(device::host_device());
  const StokerBackend& table = device::host_device().table();
  auto model = classifier();
  const Array x = random_array({64, features});
  model.predict(x);
  ASSERT_EQ(table.start_profile(0), 0);
  const ledger::Time begin = ledger::steady_clock();
  model.predict(x);
  const ledger::Time end = ledger::steady_clock();
  ASSERT_EQ(table.stop_profile(0), 0);
  model.predict(x);  // not profiled
  const auto spans = read_all(table);
  EXPECT_TRUE(read_all(table).empty());
  ASSERT_FALSE(spans.empty());
  std::set<std::string> layers;
  ledger::Time last = begin;
  for (const StokerSpan& span : spans) {
    layers.insert(std::string(span.name).substr(0, std::string(span.name).rfind('/')));
    EXPECT_GE(span.begin, last);
    EXPECT_GE(span.end, span.begin);
    EXPECT_GE(span.node, 0);
    last = span.end;
  }
  EXPECT_LE(last, end);
  for (const LayerRef& layer : model.layers())
    EXPECT_TRUE(layers.contains(model.name() + "/" + layer->name()))
        << ::testing::PrintToString(layers);
}

}  // namespace
}  // namespace stoker
