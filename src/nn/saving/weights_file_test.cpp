#include <fmt/format.h>

#include <fstream>

#include "nn/saving/h5_weights.h"
#include "nn/test_models.h"
#include "stoker/io.h"

namespace stoker {
namespace {

using namespace test;

TEST(WeightsFile, ComesBackInAModelMadeLater) {
  const TemporaryFolder folder;
  auto saved = classifier(0.05, 1), other = classifier(0.05, 2);
  const Array x = samples(5).x;
  saved.save_weights(folder / "w.safetensors");
  EXPECT_GT(difference(saved.predict(x), other.predict(x)), 1e-4);
  other.load_weights(folder / "w.safetensors");
  EXPECT_EQ(difference(saved.predict(x), other.predict(x)), 0);
}

TEST(WeightsFile, NamesWeightsByTheirPlaceInTheModel) {
  const TemporaryFolder folder;
  layers::Dense({.units = 1});  // uses up an automatic name
  Sequential inner({Input({.shape = {4}}), layers::Dense({.units = 3})});
  Sequential model({Input({.shape = {4}}), inner, layers::Dense({.units = 2, .name = "middle"}),
                    layers::Dense({.units = 2}), layers::Dense({.units = 2, .use_bias = false})});
  model.save_weights(folder / "w.safetensors");
  std::vector<std::string> names;
  for (const auto& [name, array] : load_safetensors(folder / "w.safetensors").tensors)
    names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"sequential/dense/kernel", "sequential/dense/bias",
                                             "middle/kernel", "middle/bias", "dense/kernel",
                                             "dense/bias", "dense_1/kernel"}));
}

TEST(WeightsFile, AllDifferencesAreNamedAndNothingIsLoaded) {
  const TemporaryFolder folder;
  auto saved = classifier();
  saved.save_weights(folder / "w.safetensors");
  Sequential other({Input({.shape = {features}}), layers::Dense({.units = 8}),
                    layers::Dense({.units = 5}), layers::Dense({.units = 1, .name = "last"})});
  const auto before = other.get_weights();
  const std::string text = error_of([&] { other.load_weights(folder / "w.safetensors"); });
  for (const char* part :
       {"\"dense_1/kernel\" is float32(8, 5) in the model, but float32(8, 3) in the file",
        "\"dense_1/bias\" is float32(5,)", "\"last/kernel\" float32(5, 1) is not in the file",
        "\"last/bias\""})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, text);
  EXPECT_EQ(difference(other.get_weights(), before), 0);
  Sequential fewer({Input({.shape = {features}}), layers::Dense({.units = 8})});
  EXPECT_ERROR(fewer.load_weights(folder / "w.safetensors"),
               "\"dense_1/kernel\" float32(8, 3) is only in the file");
}

TEST(WeightsFile, ADamagedFileLoadsNothing) {
  const TemporaryFolder folder;
  auto model = classifier();
  model.save_weights(folder / "w.safetensors");
  const auto before = model.get_weights();
  std::filesystem::resize_file(folder / "w.safetensors",
                               std::filesystem::file_size(folder / "w.safetensors") - 5);
  EXPECT_ERROR(model.load_weights(folder / "w.safetensors"), "w.safetensors");
  EXPECT_ERROR(model.load_weights(folder / "none.safetensors"), "none.safetensors");
  EXPECT_EQ(difference(model.get_weights(), before), 0);
}

TEST(WeightsFile, AModelWithoutShapesHasNothingToSave) {
  const TemporaryFolder folder;
  Sequential open({layers::Dense({.units = 4})});
  EXPECT_ERROR(open.save_weights(folder / "w.safetensors"), "has no weights");
  EXPECT_EQ(folder.files(), 0u);
}

// Two files and their index, as in Keras's sharded weights; the second Dense is in both.
struct Shards {
  explicit Shards(const Model& model) {
    const H5Group root = nn::weights_tree(model);
    H5Group first, second;
    for (const char* path : {"layers/dense/vars", "layers/dense_1/vars"})
      for (const auto& [name, dataset] : root.find_group(path)->datasets)
        (std::string(path).find("dense_1") != std::string::npos && name == "1" ? second : first)
            .add(fmt::format("{}/{}", path, name), dataset.value);
    save_hdf5(folder / "m_00000.weights.h5", first);
    save_hdf5(folder / "m_00001.weights.h5", second);
    write_index(R"("m_00001.weights.h5")");
  }
  void write_index(const std::string& second) const {
    std::ofstream(folder / "m.weights.json")
        << R"({"metadata": {"total_size": 1}, "weight_map": {"/layers/dense/vars":
           "m_00000.weights.h5", "/layers/dense_1/vars": ["m_00000.weights.h5", )"
        << second << "]}}";
  }
  TemporaryFolder folder;
};

TEST(WeightsFile, ShardsAreReadTogether) {
  auto saved = classifier(0.05, 1), other = classifier(0.05, 2);
  const Shards shards(saved);
  const Array x = samples(5).x;
  other.load_weights(shards.folder / "m.weights.json");
  EXPECT_EQ(difference(saved.predict(x), other.predict(x)), 0);
}

TEST(WeightsFile, ShardsLieBesideTheirIndex) {
  auto model = classifier();
  const Shards shards(model);
  for (const char* elsewhere : {"../m_00001.weights.h5", "/etc/passwd", "..", ""}) {
    shards.write_index(fmt::format("\"{}\"", elsewhere));
    EXPECT_ERROR(model.load_weights(shards.folder / "m.weights.json"),
                 "is not the name of a shard");
  }
  shards.write_index("\"m_00002.weights.h5\"");
  EXPECT_ERROR(model.load_weights(shards.folder / "m.weights.json"), "m_00002.weights.h5");
}

}  // namespace
}  // namespace stoker
