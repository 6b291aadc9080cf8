#include <algorithm>
#include <sstream>

#include "nn/test_models.h"
#include "stoker/layers/batch_normalization.h"
#include "stoker/layers/conv.h"
#include "stoker/layers/merging.h"
#include "stoker/layers/pooling.h"
#include "stoker/layers/reshaping.h"

namespace stoker {
namespace {

using namespace test;

Sequential mlp() {
  return Sequential({Input({.shape = {784}}),
                     layers::Dense({.units = 128, .activation = "relu", .name = "hidden"}),
                     layers::Dense({.units = 10, .activation = "softmax", .name = "digits"})},
                    "mlp");
}

TEST(Summary, HasKerasTableAndNumbers) {
  EXPECT_EQ(mlp().summary(), R"(Model: "mlp"
┏━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━━━┓
┃ Layer (type)   ┃ Output Shape ┃ Param # ┃
┡━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━━━┩
│ hidden (Dense) │ (None, 128)  │ 100,480 │
├────────────────┼──────────────┼─────────┤
│ digits (Dense) │ (None, 10)   │   1,290 │
└────────────────┴──────────────┴─────────┘
 Total params: 101,770 (397.54 KB)
 Trainable params: 101,770 (397.54 KB)
 Non-trainable params: 0 (0.00 B)
)");
}

TEST(Summary, CountsTheOptimizerOnceItHasState) {
  auto model = mlp();
  model.compile({.optimizer = "adam", .loss = {"sparse_categorical_crossentropy"}});
  EXPECT_EQ(model.summary().find("Optimizer"), std::string::npos);
  model.train_on_batch(random_array({2, 784}), Array(DType::int32, Shape{2}));
  const std::string text = model.summary();
  for (const char* part :
       {"Total params: 305,312 (1.16 MB)", "Trainable params: 101,770 (397.54 KB)",
        "Optimizer params: 203,542 (795.09 KB)"})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, text);
}

TEST(Summary, OfAConvolutionalNetwork) {
  const Sequential model({Input({.shape = {28, 28, 1}}),
                          layers::Conv2D({.filters = 32, .kernel_size = {3, 3}, .name = "conv"}),
                          layers::BatchNormalization({.name = "norm"}),
                          layers::MaxPooling2D({.pool_size = {2, 2}, .name = "pool"}),
                          layers::Flatten({.name = "flat"}),
                          layers::Dense({.units = 10, .name = "last"})});
  const std::string text = model.summary();
  for (const char* part :
       {"│ conv (Conv2D)             │ (None, 26, 26, 32) │     320 │",
        "│ norm (BatchNormalization) │ (None, 26, 26, 32) │     128 │",
        "│ pool (MaxPooling2D)       │ (None, 13, 13, 32) │       0 │",
        "│ flat (Flatten)            │ (None, 5408)       │       0 │",
        "│ last (Dense)              │ (None, 10)         │  54,090 │",
        "Total params: 54,538 (213.04 KB)", "Trainable params: 54,474 (212.79 KB)",
        "Non-trainable params: 64 (256.00 B)"})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, text);
}

TEST(Summary, SaysWhatIsFrozenOrNotBuilt) {
  auto model = mlp();
  model.get_layer("hidden")->set_trainable(false);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "Non-trainable params: 100,480 (392.50 KB)",
                      model.summary());
  Sequential open({layers::Dense({.units = 3, .name = "open"})});
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "│ open (Dense) │ ?            │ 0 (unbuilt) │",
                      open.summary());
  open.predict(random_array({2, 5}));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "│ open (Dense) │ (None, 3)    │      18 │",
                      open.summary());
}

TEST(Summary, OfAGraphShowsWhatIsConnected) {
  const Tensor left = Input({.shape = {4}, .name = "left"}),
               right = Input({.shape = {4}, .name = "right"});
  const LayerRef shared = layers::Dense({.units = 2, .name = "shared"});
  const Tensor one = shared(left), two = shared(right);
  const Model model(
      Model::FunctionalArgs{.inputs = {left, right},
                            .outputs = {layers::Dense({.units = 3, .name = "a"})(one),
                                        layers::Dense({.units = 1, .name = "b"})(two)}});
  const std::string text = model.summary();
  for (const char* part :
       {"│ left (InputLayer)  │ (None, 4)    │       0 │ -                       │",
        "│ shared (Dense)     │ (None, 2)    │      10 │ left[0][0], right[0][0] │",
        "│ b (Dense)          │ (None, 1)    │       3 │ shared[1][0]"})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, text);
}

TEST(Summary, IsNoWiderThan100Columns) {
  const Tensor input = Input({.shape = {32, 32, 3}, .name = "an_input_with_a_rather_long_name"});
  std::vector<Tensor> branches;
  for (const char* name : {"the_first_branch_of_the_network", "the_second_branch_of_the_network",
                           "the_third_branch_of_the_network"})
    branches.push_back(layers::Conv2D({.filters = 4, .kernel_size = 3, .name = name})(input));
  const Model model(
      {.inputs = {input},
       .outputs = {layers::Concatenate({.name = "all_branches_together"})(branches)}});
  const std::string text = model.summary();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // first byte of a UTF-8 character
    const auto starts = [](char c) { return (c & 0xc0) != 0x80; };
    EXPECT_LE(std::ranges::count_if(line, starts), 100) << line;
  }
  for (const char* part : {"the_first_branch_of_the", "the_second_branch_of_the", "(Concatenate)"})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, text);
}

}  // namespace
}  // namespace stoker
