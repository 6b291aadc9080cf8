#include <set>

#include "nn/saving/network_config.h"
#include "stoker/layer.h"
#include "support/golden.h"
#include "support/same_config.h"

namespace stoker {
namespace {

TEST(GoldenLayerConfigs, EveryLayerWritesWhatItReadFromKeras) {
  const auto group = golden::load("layer_configs");
  std::set<std::string> seen;
  for (const Config& c : group.cases()) {
    SCOPED_TRACE(golden::id(c));
    const Config& object = *c.find("object");
    try {
      const LayerRef layer = nn::deserialize_layer(object);
      EXPECT_EQ(golden::config_difference(nn::serialize_layer(*layer), object), "");
      seen.insert(layer->class_name());
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
  for (const std::string& name : layer_class_names()) {
    const bool registered_by_a_test = name.find('>') != name.npos;
    EXPECT_TRUE(seen.contains(name) || registered_by_a_test)
        << name << " is missing in tools/goldens/group_layer_configs.py";
  }
}

}  // namespace
}  // namespace stoker
