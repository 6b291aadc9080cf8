#include "nn/saving/legacy_h5.h"

#include "nn/saving/archive.h"
#include "nn/test_models.h"

// Files as Keras 2 wrote them, constructed by hand: current versions of Keras no longer write them.
// Their ".h5" files are tested in tests/golden_files_test.cpp.
namespace stoker {
namespace {

using namespace test;

constexpr const char* model_config = R"({"class_name": "Functional", "config": {
  "name": "model", "layers": [
    {"class_name": "InputLayer", "name": "input_1", "inbound_nodes": [],
     "config": {"batch_input_shape": [null, 3], "dtype": "float32", "sparse": false,
                "ragged": false, "name": "input_1"}},
    {"class_name": "Dense", "name": "dense", "inbound_nodes": [[["input_1", 0, 0, {}]]],
     "config": {"name": "dense", "trainable": true, "dtype": "float32", "units": 3,
                "activation": "relu", "use_bias": true,
                "kernel_initializer": {"class_name": "GlorotUniform", "config": {"seed": null}},
                "bias_initializer": {"class_name": "Zeros", "config": {}},
                "kernel_regularizer": null, "bias_regularizer": null,
                "activity_regularizer": null, "kernel_constraint": null,
                "bias_constraint": null}},
    {"class_name": "Add", "name": "add",
     "inbound_nodes": [[["input_1", 0, 0, {}], ["dense", 0, 0, {}]]],
     "config": {"name": "add", "trainable": true, "dtype": "float32"}}],
  "input_layers": [["input_1", 0, 0]], "output_layers": [["add", 0, 0]]}})";

constexpr const char* training_config = R"({"loss": {"class_name": "MeanSquaredError",
    "config": {"reduction": "auto", "name": "mean_squared_error", "fn": "mean_squared_error"}},
  "metrics": [[{"class_name": "MeanMetricWrapper", "config": {"name": "mae", "dtype": "float32",
    "fn": "mean_absolute_error"}}]], "weighted_metrics": null, "loss_weights": null,
  "optimizer_config": {"class_name": "Adam", "config": {"name": "Adam", "learning_rate": 0.25,
    "decay": 0.0, "beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-07, "amsgrad": false}}})";

H5Group keras_2_file() {
  H5Group root;
  root.attributes["model_config"] = model_config;
  root.attributes["training_config"] = training_config;
  H5Group& weights = root.group("model_weights");
  weights.attributes["layer_names"] = std::vector<std::string>{"input_1", "dense", "add"};
  weights.attributes["keras_version"] = "2.11.0";
  for (const char* name : {"input_1", "add"})
    root.group(std::string("model_weights/") + name).attributes["weight_names"] =
        std::vector<std::string>{};
  H5Group& dense = root.group("model_weights/dense");
  dense.attributes["weight_names"] = std::vector<std::string>{"dense/kernel:0", "dense/bias:0"};
  dense.add("dense/kernel:0", random_array({3, 3}, 5));
  dense.add("dense/bias:0", random_array({3}, 6));
  return root;
}

Blob bytes_of(const H5Group& root) {
  const H5Image image(root);
  std::string all;
  for (const auto& part : image.parts())
    all.append(reinterpret_cast<const char*>(part.data()), part.size());
  return blob_of(all, "old.h5");
}

TEST(LegacyH5, ReadsWhatKeras2Wrote) {
  Model model = nn::parse_model(bytes_of(keras_2_file()));
  EXPECT_EQ(difference(model.get_weights(), {random_array({3, 3}, 5), random_array({3}, 6)}), 0);
  EXPECT_NEAR(model.optimizer().learning_rate(), 0.25, 1e-7);
  const Array x = random_array({4, 3}, 7);
  const Logs logs = model.evaluate(x, x, {.verbose = 0});
  EXPECT_TRUE(logs.find("loss"));
  EXPECT_TRUE(logs.find("mean_absolute_error"));
}

TEST(LegacyH5, NamesWhatDoesNotFit) {
  H5Group root = keras_2_file();
  root.group("model_weights/dense/dense").datasets.erase("bias:0");
  root.group("model_weights/dense").add("dense/bias:0", random_array({4}, 6));
  EXPECT_ERROR(nn::parse_model(bytes_of(root)),
               "\"dense/bias:0\" is float32(3,) in the model, but float32(4,) in the file");
  root = keras_2_file();
  root.group("model_weights").attributes["layer_names"] = std::vector<std::string>{"input_1"};
  EXPECT_ERROR(nn::parse_model(bytes_of(root)), "1 layers have weights, 0 in the file");
  root.group("model_weights").attributes["layer_names"] = std::vector<std::string>{"absent"};
  EXPECT_ERROR(nn::parse_model(bytes_of(root)),
               "the group \"absent\" that it lists does not exist");
}

TEST(LegacyH5, WeightsAloneGoIntoAModel) {
  const TemporaryFolder folder;
  H5Group weights = *keras_2_file().find_group("model_weights");
  save_hdf5(folder / "old.h5", weights);
  Sequential model({Input({.shape = {3}}), layers::Dense({.units = 3})});
  model.load_weights(folder / "old.h5");
  EXPECT_EQ(difference(model.get_weights()[0], random_array({3, 3}, 5)), 0);
  EXPECT_ERROR(load_model(folder / "old.h5"), "holds weights, but no model");
}

TEST(LegacyH5, AModelComesBackAndTrainsOn) {
  const TemporaryFolder folder;
  auto model = classifier();
  const auto [x, y] = samples(32);
  model.fit(x, y, {.epochs = 2, .verbose = 0, .shuffle = false});
  model.save(folder / "m.h5");
  Model loaded = load_model(folder / "m.h5");
  EXPECT_EQ(loaded.get_config(), model.get_config());
  EXPECT_EQ(difference(loaded.predict(x), model.predict(x)), 0);
  for (Model* each : {static_cast<Model*>(&model), &loaded})
    each->fit(x, y, {.epochs = 1, .verbose = 0, .shuffle = false});
  // Adam's state was restored, too
  EXPECT_EQ(difference(loaded.get_weights(), model.get_weights()), 0);
}

TEST(LegacyH5, WeightsAreListedUnderTheirLayers) {
  const TemporaryFolder folder;
  Sequential model({Input({.shape = {3}}), layers::Dense({.units = 2, .name = "first"})});
  model.save(folder / "m.h5");
  const H5Group root = load_hdf5(folder / "m.h5");
  const H5Group* weights = root.find_group("model_weights");
  EXPECT_EQ(weights->attributes.at("layer_names").texts, std::vector<std::string>{"first"});
  const auto& names = weights->find_group("first")->attributes.at("weight_names").texts;
  ASSERT_EQ(names.size(), 2u);
  for (const std::string& name : names)
    EXPECT_TRUE(weights->find_group("first")->find_dataset(name));
  EXPECT_FALSE(root.attributes.contains("training_config"));
}

}  // namespace
}  // namespace stoker
