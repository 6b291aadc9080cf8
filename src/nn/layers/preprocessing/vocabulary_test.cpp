#include "nn/layers/preprocessing/vocabulary.h"

#include <gtest/gtest.h>

#include "io/archives/zip.h"
#include "io/hdf5/hdf5.h"
#include "io/test_files.h"
#include "stoker/io.h"
#include "stoker/layers/dense.h"
#include "stoker/layers/lookup.h"
#include "stoker/layers/preprocessing.h"
#include "stoker/layers/text.h"
#include "stoker/model.h"

namespace stoker::layers {
namespace {

using Tokens = std::vector<std::string>;

Array words() { return string_ids({"a", "b", "b", "c", "b", "b", "d", "a"}, {4, 2}); }

std::vector<float> weights_of(const LayerRef& layer) {
  const Array weights = dynamic_cast<const nn::HasVocabulary&>(*layer).idf_weights();
  return {weights.data<float>().begin(), weights.data<float>().end()};
}

void expect_near(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6F) << i;
}

// Keras 3.15's weights after adapt on the same rows.
const std::vector<float> keras_weights{0.9344174F, 0.6931472F, 0.84729785F, 1.0986123F, 1.0986123F};

TEST(TfIdf, RowsOfStringsAreDocuments) {
  const LayerRef layer = StringLookup({.output_mode = "tf_idf"});
  adapt(layer, words());
  EXPECT_EQ(get_vocabulary(layer), (Tokens{"[UNK]", "b", "a", "d", "c"}));
  expect_near(weights_of(layer), keras_weights);
  const Array out = layer(Tensor(string_ids({"b", "b", "x", "a"}, {2, 2}))).array();
  EXPECT_NEAR(out.at(1), 2 * 0.6931472, 1e-6);
  EXPECT_NEAR(out.at(5), 0.9344174, 1e-6);
}

TEST(TfIdf, RowsOfIntegersAreDocuments) {
  const LayerRef layer =
      IntegerLookup({.max_tokens = 7, .output_mode = "tf_idf", .pad_to_max_tokens = true});
  adapt(layer, Array::from(std::vector<int64_t>{1, 2, 2, 3, 2, 2, 4, 1}, {4, 2}));
  EXPECT_EQ(get_vocabulary(layer), (Tokens{"-1", "2", "1", "4", "3"}));
  auto padded = keras_weights;
  padded.resize(7, 0);
  expect_near(weights_of(layer), padded);
}

TEST(TfIdf, TextsAreDocuments) {
  const LayerRef layer = TextVectorization({.output_mode = "tf_idf"});
  adapt(layer, Tokens{"the cat sat on the mat", "a dog ate the cat", "dogs and cats"});
  EXPECT_EQ(get_vocabulary(layer), (Tokens{"[UNK]", "the", "cat", "sat", "on", "mat", "dogs", "dog",
                                           "cats", "ate", "and", "a"}));
  std::vector<float> want(12, 0.91629076F);
  want[0] = 0.87571925F;
  want[1] = want[2] = 0.6931472F;
  expect_near(weights_of(layer), want);
}

TEST(TfIdf, WeightsAreAskedForWhereTheyAreMissing) {
  EXPECT_THROW(StringLookup({.vocabulary = Config::List{"a"}, .output_mode = "tf_idf"}),
               InvalidArgument);
  EXPECT_THROW(TextVectorization({.output_mode = "tf_idf", .vocabulary = Config::List{"a"}}),
               InvalidArgument);
  const LayerRef layer = StringLookup({.output_mode = "tf_idf"});
  EXPECT_THROW(set_vocabulary(layer, {"a", "b"}), InvalidArgument);
  EXPECT_THROW(set_vocabulary(layer, {"a", "b"}, {1}), InvalidArgument);
  EXPECT_THROW(set_vocabulary(StringLookup(), {"a"}, {1}), InvalidArgument);
  set_vocabulary(layer, {"a", "b"}, {1, 2});
  expect_near(weights_of(layer), {1.5F, 1, 2});
}

// Keras reads all of these.
TEST(TextVectorization, IsSavedWithItsLookupLayer) {
  TemporaryFolder folder;
  const LayerRef layer = TextVectorization({.output_mode = "tf_idf", .name = "words"});
  adapt(layer, Tokens{"one two", "two three"});
  Sequential model({Input({.shape = {1}, .dtype = "string"}), layer, Dense({.units = 2})});
  model.save(folder / "m.keras");
  const ZipReader zip(read_file(folder / "m.keras"));
  const H5Group root = parse_hdf5(zip.read("model.weights.h5"));
  for (const std::string path :
       {"layers/text_vectorization", "layers/text_vectorization/_lookup_layer"}) {
    EXPECT_EQ(zip.read("assets/" + path + "/vocabulary.txt").text(), "[UNK]\ntwo\nthree\none");
    const H5Group* vars = root.find_group(path + "/vars");
    ASSERT_NE(vars, nullptr) << path;
    EXPECT_TRUE(vars->datasets.contains("idf_weights")) << path;
  }
  Model again = load_model(folder / "m.keras");
  EXPECT_EQ(get_vocabulary(again.get_layer("words")), get_vocabulary(layer));
  const Array texts = string_ids({"two two", "one of four", ""}, {3, 1});
  const Array got = again.predict(texts), want = model.predict(texts);
  for (int64_t i = 0; i < want.size(); ++i) EXPECT_EQ(got.at(i), want.at(i));
}

TEST(TextVectorization, WarnsOfAFileThatLosesItsVocabulary) {
  TemporaryFolder folder;
  const LayerRef layer = TextVectorization({.output_sequence_length = 3, .name = "words"});
  adapt(layer, Tokens{"one two"});
  Sequential model({Input({.shape = {1}, .dtype = "string"}), layer});
  ::testing::internal::CaptureStderr();
  model.save(folder / "m.h5");
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("words"), said.npos) << said;
}

}  // namespace
}  // namespace stoker::layers
