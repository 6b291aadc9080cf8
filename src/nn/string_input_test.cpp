#include <gtest/gtest.h>

#include "nn/network_config.h"
#include "stoker/io.h"
#include "stoker/layers/lookup.h"

namespace stoker {
namespace {

// As Keras writes a model of one StringLookup on texts.
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

}  // namespace
}  // namespace stoker
