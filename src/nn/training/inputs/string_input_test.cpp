#include <gtest/gtest.h>

#include <fstream>

#include "io/test_files.h"
#include "nn/saving/network_config.h"
#include "stoker/io.h"
#include "stoker/layers.h"
#include "stoker/model.h"
#include "stoker/ops/elementwise.h"
#include "stoker/recipe.h"

namespace stoker {
namespace {

// Keras's config of a model with one StringLookup.
std::string words(const std::string& vocabulary) {
  return R"({"module": "keras.src.models.functional", "class_name": "Functional", "config": {
    "name": "words", "trainable": true, "layers": [
      {"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [null, 1],
       "dtype": "string", "sparse": false, "ragged": false, "name": "word", "optional": false},
       "registered_name": null, "name": "word", "inbound_nodes": []},
      {"module": "keras.layers", "class_name": "StringLookup", "config": {"name": "lookup",
       "trainable": true, "dtype": {"module": "keras", "class_name": "DTypePolicy", "config":
       {"name": "float32"}, "registered_name": null}, "invert": false, "max_tokens": null,
       "num_oov_indices": 1, "oov_token": "[UNK]", "mask_token": null, "output_mode": "one_hot",
       "sparse": false, "pad_to_max_tokens": false, "idf_weights": null, "vocabulary": )" +
         vocabulary + R"(, "vocabulary_size": 3, "oov_method": "floormod", "salt": null,
       "encoding": "utf-8"}, "registered_name": null, "build_config": {}, "name": "lookup",
       "inbound_nodes": [{"args": [{"class_name": "__keras_tensor__", "config": {"shape": [null, 1],
       "dtype": "string", "keras_history": ["word", 0, 0]}}], "kwargs": {}}]}],
    "input_layers": ["word", 0, 0], "output_layers": ["lookup", 0, 0]},
    "registered_name": "Functional"})";
}

Array looked_up(const LayerRef& model) {
  return model(layers::string_ids({"dog", "mouse", "cat"}, {3, 1})).array();
}

void expect_rows(const Array& rows) {
  ASSERT_EQ(rows.shape(), Shape({3, 3}));
  const std::vector<int> places{2, 0, 1};
  for (int64_t i = 0; i < 9; ++i)
    EXPECT_EQ(rows.at(i), places[static_cast<size_t>(i / 3)] == i % 3 ? 1 : 0) << i;
}

TEST(StringInput, AModelOfTextsIsReadRunAndWritten) {
  const Config object = parse_json(words(R"(["cat", "dog"])"));
  const LayerRef model = nn::deserialize_layer(object);
  expect_rows(looked_up(model));
  const Config written = model->get_config();
  const auto& layers = written.find("layers")->as_list();
  EXPECT_EQ(layers[0].find("config")->find("dtype")->as_string(), "string");
  const Config& argument = layers[1].find("inbound_nodes")->as_list()[0].find("args")->as_list()[0];
  EXPECT_EQ(argument.find("config")->find("dtype")->as_string(), "string");
}

TEST(StringInput, AVocabularyMayComeLater) {
  const LayerRef model = nn::deserialize_layer(parse_json(words("null")));
  EXPECT_THROW(looked_up(model), InvalidArgument);
  layers::set_vocabulary(model->sublayers().back(), {"[UNK]", "cat", "dog"});
  expect_rows(looked_up(model));
}

TEST(StringInput, IsDeclaredInAProgram) {
  TemporaryFolder folder;
  Sequential model(
      {Input({.shape = {1}, .dtype = "string"}),
       layers::StringLookup({.vocabulary = Config::List{"cat", "dog"}, .output_mode = "one_hot"})});
  expect_rows(looked_up(model));
  model.save(folder / "words.keras");
  const Model again = load_model(folder / "words.keras");
  const Config written = again.get_config();
  EXPECT_EQ(written.find("layers")->as_list()[0].find("config")->find("dtype")->as_string(),
            "string");
  expect_rows(looked_up(again));
  EXPECT_EQ(InputDType("int32").dtype(), DType::int32);
  EXPECT_THROW(InputDType("strings"), InvalidArgument);
}

TEST(StringInput, IsDeclaredInARecipe) {
  TemporaryFolder folder;
  std::ofstream(folder / "words.toml") << R"([model]
layers = [
  {class_name = "Input", shape = [1], dtype = "string"},
  {class_name = "StringLookup", vocabulary = ["cat", "dog"], output_mode = "one_hot"},
])";
  const auto model = Recipe(folder / "words.toml").make_model();
  expect_rows(looked_up(*model));
  const Config written = model->get_config();
  EXPECT_EQ(written.find("layers")->as_list()[0].find("config")->find("dtype")->as_string(),
            "string");
}

const Tensor texts = Input({.shape = {2}, .dtype = "string"});

void expect_takes_numbers(const LayerRef& layer) {
  try {
    layer(texts);
    ADD_FAILURE() << layer->class_name() << " took strings";
  } catch (const InvalidArgument& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find(layer->name() + "\" (" + layer->class_name() +
                        ") takes numbers, but its "
                        "input holds strings."),
              std::string::npos)
        << said;
  }
}

// Their ids are not numbers to compute with.
TEST(StringInput, IsRefusedByLayersThatTakeNumbers) {
  expect_takes_numbers(layers::Dense({.units = 1}));
  expect_takes_numbers(layers::Embedding({.input_dim = 3, .output_dim = 2}));
  expect_takes_numbers(layers::IntegerLookup({.vocabulary = Config::List{1, 2}}));
  expect_takes_numbers(layers::Rescaling({.scale = 2.0}));
  expect_takes_numbers(Sequential({Input({.shape = {2}}), layers::Flatten()}).network());
  EXPECT_THROW(layers::Concatenate()({texts, Input({.shape = {2}})}), InvalidArgument);
  EXPECT_THROW(texts + texts, InvalidArgument);
  EXPECT_THROW(Sequential({Input({.shape = {1}, .dtype = "string"}), layers::Flatten(),
                           layers::Dense({.units = 1})}),
               InvalidArgument);
}

TEST(StringInput, MayBeMovedOnTheWayToALookup) {
  const Tensor more = Input({.shape = {1}, .dtype = "string"});
  const Tensor all =
      layers::Reshape({.target_shape = {3, 1}})(layers::Concatenate()({texts, more}));
  const LayerRef lookup = layers::StringLookup({.vocabulary = Config::List{"cat", "dog"}});
  Model model({.inputs = {texts, more}, .outputs = {layers::Flatten()(lookup(all))}});
  const Array found = model.predict(
      {layers::string_ids({"dog", "x"}, {1, 2}), layers::string_ids({"cat"}, {1, 1})});
  EXPECT_EQ(found.at(0), 2);
  EXPECT_EQ(found.at(1), 0);
  EXPECT_EQ(found.at(2), 1);
}

// 32 bits cannot represent the ids.
TEST(StringInput, DoesNotPassAnInputOfFloats) {
  Sequential model(
      {Input({.shape = {1}}), layers::StringLookup({.vocabulary = Config::List{"cat", "dog"}})});
  EXPECT_THROW(model.predict(layers::string_ids({"dog", "cat"}, {2, 1})), InvalidArgument);
}

// A user-defined class may do anything with the ids.
TEST(StringInput, IsTakenByALayerOfTheProgramsOwn) {
  struct IsCat : Layer {
    Tensor call(const Tensor& x, const CallArgs&) override {
      return ops::cast(ops::equal(x, Tensor(layers::string_ids({"cat"}, {1}))), DType::float32);
    }
  };
  Model model({.inputs = {texts}, .outputs = {LayerRef(make_layer<IsCat>())(texts)}});
  EXPECT_EQ(model.predict(layers::string_ids({"dog", "cat"}, {1, 2})).at(1), 1);
}

}  // namespace
}  // namespace stoker
