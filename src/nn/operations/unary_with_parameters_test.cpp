#include <gtest/gtest.h>

#include "nn/saving/network_config.h"
#include "stoker/layer.h"

namespace stoker::nn {
namespace {

Config clip_config(const Config& low, const Config& high) {
  const Config object =
      Config::map({{"module", "keras.src.ops.numpy"},
                   {"class_name", "Clip"},
                   {"config", Config::map({{"name", "clip"}, {"x_min", low}, {"x_max", high}})}});
  return deserialize_layer(object)->get_config();
}

TEST(WithArguments, ClipWritesItsBoundsAsTheyWere) {
  const Config integers = clip_config(0, 2), reals = clip_config(0.0, 2.0);
  EXPECT_TRUE(integers.find("x_max")->is_int());
  EXPECT_EQ(integers.find("x_max")->as_int(), 2);
  EXPECT_FALSE(reals.find("x_max")->is_int());
}

}  // namespace
}  // namespace stoker::nn
