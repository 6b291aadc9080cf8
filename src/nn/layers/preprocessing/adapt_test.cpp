#include <gtest/gtest.h>

#include "nn/test_models.h"
#include "stoker/dataset.h"
#include "stoker/layers/lookup.h"
#include "stoker/layers/preprocessing.h"
#include "stoker/layers/text.h"

namespace stoker {
namespace {

using layers::adapt;

Dataset batches(const Array& data) {
  return Dataset::from_tensor_slices({data, Array(DType::int32, Shape{data.length()})}).batch(7);
}
Dataset x_only(const Array& data) { return Dataset::from_tensor_slices(data).batch(7); }

TEST(AdaptToADataset, NormalizesAsForTheArray) {
  Array data = test::random_array({50, 3, 2});
  for (float& value : data.mutable_data<float>()) value = 1000 + 3 * value;
  for (const Integers& axis : {Integers(-1), Integers{1, 2}, Integers(std::vector<int64_t>())})
    for (const Dataset& dataset : {batches(data), x_only(data)}) {
      const auto want = layers::Normalization({.axis = axis}),
                 got = layers::Normalization({.axis = axis});
      adapt(want, data);
      adapt(got, dataset);
      const Tensor a = want(Tensor(data)), b = got(Tensor(data));
      EXPECT_LT(test::difference(a.array(), b.array()), 1e-4);
      EXPECT_GT(test::difference(a.array(), data), 900);
    }
}

TEST(AdaptToADataset, FindsTheSameBins) {
  const Array data = test::random_array({101, 1});
  const auto want = layers::Discretization({.num_bins = 6}),
             got = layers::Discretization({.num_bins = 6});
  adapt(want, data);
  adapt(got, batches(data));
  EXPECT_EQ(*got->get_config().find("bin_boundaries"), *want->get_config().find("bin_boundaries"));
}

std::vector<std::string> words(int64_t count) {
  std::vector<std::string> all;
  for (int64_t i = 0; i < count; ++i) all.push_back("w" + std::to_string(i * i % 11));
  return all;
}

TEST(AdaptToADataset, LearnsTheSameVocabularies) {
  const Array texts = Array::strings(words(60), {30, 2}), lines = Array::strings(words(60), {60});
  const auto string_lookups = [] {
    return std::vector<std::pair<LayerRef, LayerRef>>{
        {layers::StringLookup(), layers::StringLookup()},
        {layers::StringLookup({.output_mode = "tf_idf"}),
         layers::StringLookup({.output_mode = "tf_idf"})}};
  };
  for (const auto& [want, got] : string_lookups()) {
    adapt(want, texts);
    adapt(got, batches(texts));
    EXPECT_EQ(layers::get_vocabulary(got), layers::get_vocabulary(want));
    EXPECT_EQ(test::difference(got(Tensor(texts)).array(), want(Tensor(texts)).array()), 0);
  }
  const auto text = layers::TextVectorization(), text_of_array = layers::TextVectorization();
  adapt(text_of_array, lines);
  adapt(text, x_only(lines));
  EXPECT_EQ(layers::get_vocabulary(text), layers::get_vocabulary(text_of_array));
  Array numbers(DType::int64, Shape{40});
  for (int64_t i = 0; i < 40; ++i) numbers.mutable_data<int64_t>()[size_t(i)] = i * i % 13;
  const auto number = layers::IntegerLookup(), number_of_array = layers::IntegerLookup();
  adapt(number_of_array, numbers);
  adapt(number, batches(numbers));
  EXPECT_EQ(layers::get_vocabulary(number), layers::get_vocabulary(number_of_array));
}

TEST(AdaptToADataset, SaysWhatIsWrong) {
  const auto says = [](const LayerRef& layer, const Dataset& dataset, const std::string& what) {
    try {
      adapt(layer, dataset);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  };
  const Array data = test::random_array({10, 2});
  says(layers::Normalization(), batches(data).repeat(), "the dataset has no end");
  says(layers::Normalization(), batches(data).take(0), "no data");
  says(layers::StringLookup(), batches(data), "adapts to strings");
  says(layers::Discretization({.num_bins = 3}), Dataset::range(4), "the elements are int64()");
  says(layers::Dense({.units = 1}), batches(data), "has nothing to adapt");
}

}  // namespace
}  // namespace stoker
