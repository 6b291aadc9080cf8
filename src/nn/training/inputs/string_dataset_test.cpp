#include <gtest/gtest.h>

#include "stoker/layers.h"
#include "stoker/model.h"

// Strings from a dataset as a model's input.
namespace stoker {
namespace {

const std::vector<std::string> reviews{"good good film", "bad film", "very good",
                                       "bad, bad",       "good",     "a bad one"};

Array review_texts() { return Array::strings(reviews, {6, 1}); }
Array review_scores() { return Array::from<float>({1, 0, 1, 0, 1, 0}, {6, 1}); }

Sequential review_model() {
  set_random_seed(3);
  const auto vectorize = layers::TextVectorization({.output_mode = "multi_hot"});
  layers::adapt(vectorize, review_texts());
  Sequential model({vectorize, layers::Dense({.units = 1, .activation = "sigmoid"})});
  model.compile({.optimizer = "sgd", .loss = {"binary_crossentropy"}});
  model.predict(review_texts());  // creates the weights from the seed
  return model;
}

TEST(StringsOfADataset, TrainAsThoseOfArrays) {
  Sequential by_arrays = review_model(), by_dataset = review_model();
  const FitArgs args{.batch_size = 4, .epochs = 3, .verbose = 0, .shuffle = false};
  const auto want = by_arrays.fit(review_texts(), review_scores(), args)["loss"];
  const auto batches =
      Dataset::from_tensor_slices({review_texts(), review_scores()})
          .map([](const Array& text, const Array& score) {
            return std::pair(Array::strings({std::string(text.text())}, {1}), score);
          })
          .batch(4);
  EXPECT_EQ(by_dataset.fit(batches, {.epochs = 3, .verbose = 0})["loss"], want);
  EXPECT_LT(want.back(), want.front());
  EXPECT_EQ(
      by_dataset.predict(batches.map([](const Array& text, const Array&) { return text; })).at(2),
      by_arrays.predict(review_texts()).at(2));
}

}  // namespace
}  // namespace stoker
