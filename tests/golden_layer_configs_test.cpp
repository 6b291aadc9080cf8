#include <set>

#include "nn/saving/network_config.h"
#include "stoker/io.h"
#include "stoker/layer.h"
#include "support/golden.h"
#include "support/same_config.h"
#include "test_places.h"

namespace stoker {
namespace {

// Layers of Stoker's own, and those that tests register, are in no file of Keras.
std::set<std::string> layers_of_keras() {
  const Config names = load_json(std::string(STOKER_SOURCE_DIR) + "/tools/keras_table/names.json");
  std::set<std::string> found;
  for (const Config& name : names.find("areas")->find("layers")->as_list())
    found.insert(name.as_string());
  return found;
}

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
  const std::set<std::string> of_keras = layers_of_keras();
  for (const std::string& name : layer_class_names())
    EXPECT_TRUE(seen.contains(name) || !of_keras.contains(name))
        << name << " is missing in tools/goldens/group_layer_configs.py";
}

}  // namespace
}  // namespace stoker
