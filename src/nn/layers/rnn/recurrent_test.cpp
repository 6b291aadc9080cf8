#include <gtest/gtest.h>

#include "stoker/error.h"
#include "stoker/layers/bidirectional.h"
#include "stoker/layers/conv_lstm.h"
#include "stoker/layers/dense.h"
#include "stoker/layers/rnn.h"
#include "stoker/model.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/optimizers/adam.h"
#include "support/compare.h"
#include "support/random_values.h"

// What the differential cases do not cover: states between calls, dropout, user-defined cells,
// errors.
namespace stoker {
namespace {

using testing::random_values;

Array values(const Shape& shape, uint64_t seed) {
  return random_values(shape, seed).astype(DType::float32);
}
double difference(const Tensor& a, const Tensor& b) {
  const Array x = a.array(), y = b.array();
  EXPECT_EQ(x.shape(), y.shape());
  double worst = 0;
  for (int64_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x.at(i) - y.at(i)));
  return worst;
}
Tensor steps(const Array& x, int64_t begin, int64_t count) {
  std::vector<int64_t> start(x.shape().dims().size(), 0), size = x.shape().dims();
  start[1] = begin, size[1] = count;
  return ops::slice(x, start, size);
}

void expect_goes_on_until_reset(const LayerRef& layer, const Array& x) {
  const Tensor whole = layer(x);
  layers::reset_states(layer);
  const Tensor first = layer(steps(x, 0, 4)), second = layer(steps(x, 4, 2));
  EXPECT_LT(difference(second, whole), 1e-6);
  EXPECT_GT(difference(first, whole), 1e-3);
  EXPECT_GT(difference(layer(steps(x, 4, 2)), whole), 1e-4);  // starts from another state
  layers::reset_states(layer);
  EXPECT_LT(difference(layer(x), whole), 1e-6);
}
TEST(StatefulRnn, GoesOnWhereItStoppedUntilReset) {
  expect_goes_on_until_reset(layers::LSTM({.units = 4, .stateful = true}), values({2, 6, 3}, 1));
  expect_goes_on_until_reset(
      layers::ConvLSTM1D({.filters = 4, .kernel_size = {3}, .stateful = true}),
      values({2, 6, 5, 3}, 1));
}

TEST(StatefulRnn, KeepsItsStatesOutOfTheWeights) {
  const LayerRef layer = layers::GRU({.units = 4, .stateful = true});
  layer(values({2, 6, 3}, 1));
  EXPECT_EQ(layer->weights().size(), 3u);
  EXPECT_EQ(layer->hidden_states().size(), 1u);
}

// All steps have the same input and dropout mask: without recurrence all outputs are equal.
TEST(RnnDropout, IsTheSameInAllStepsAndAnotherInEveryCall) {
  const LayerRef layer = layers::SimpleRNN({.units = 16,
                                            .recurrent_initializer = "zeros",
                                            .dropout = 0.5,
                                            .seed = 3,
                                            .return_sequences = true});
  const Array x = ops::broadcast_to(values({2, 1, 8}, 1), {2, 5, 8}).array();
  const Tensor plain = layer(x), dropped = layer(x, {.training = true}),
               again = layer(x, {.training = true});
  const auto step = [](const Tensor& y, int64_t t) { return ops::slice(y, {0, t, 0}, {2, 1, 16}); };
  for (int64_t t = 1; t < 5; ++t) EXPECT_EQ(difference(step(dropped, t), step(dropped, 0)), 0);
  EXPECT_GT(difference(dropped, plain), 1e-3);
  EXPECT_GT(difference(dropped, again), 1e-3);
}

TEST(RnnDropout, OfStatesLeavesTheFirstStepAlone) {
  const LayerRef layer =
      layers::LSTM({.units = 8, .recurrent_dropout = 0.5, .return_sequences = true});
  const Array x = values({2, 4, 3}, 1);
  const Tensor plain = layer(x), dropped = layer(x, {.training = true});
  const auto step = [](const Tensor& y, int64_t t) { return ops::slice(y, {0, t, 0}, {2, 1, 8}); };
  EXPECT_LT(difference(step(dropped, 0), step(plain, 0)), 1e-6);
  EXPECT_GT(difference(step(dropped, 3), step(plain, 3)), 1e-4);
}

// A running mean of the inputs.
struct MeanCell : Layer, layers::RnnCell {
  MeanCell() : Layer("MeanCell") {}
  std::vector<int64_t> state_size() const override { return {2}; }
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs&) override {
    const Tensor mean = inputs[1] * 0.5 + inputs[0] * 0.5;
    return {mean, mean};
  }
};

TEST(Rnn, TakesACellOfOnesOwn) {
  const LayerRef layer = layers::RNN({.cell = make_layer<MeanCell>()});
  const Array x = Array::from<double>({1, 2, 3, 4, 5, 6}, {1, 3, 2}).astype(DType::float32);
  const Array y = layer(x).array();
  EXPECT_NEAR(y.at(0), 1 / 8.0 + 3 / 4.0 + 5 / 2.0, 1e-6);
  EXPECT_NEAR(y.at(1), 2 / 8.0 + 4 / 4.0 + 6 / 2.0, 1e-6);
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
#define EXPECT_REFUSED(call, part) EXPECT_NE(refusal([&] { call; }).find(part), std::string::npos)

// A Softmax with its own mask returns it with all axes.
TEST(Rnn, AMaskMayHaveAnAxisOfFeatures) {
  const Array x = values({2, 3, 4}, 1);
  const Tensor of_steps = Array::from<uint8_t>({1, 0, 1, 0, 1, 1}, {2, 3}).astype(DType::boolean);
  const auto masked = [&](const LayerRef& layer, const Tensor& mask) {
    return layer(Tensor(x), {.tensors = {{"mask", {mask}}}});
  };
  for (const LayerRef& layer :
       {layers::LSTM({.units = 5}), layers::GRU({.units = 5, .return_sequences = true}),
        layers::SimpleRNN({.units = 5, .unroll = true})}) {
    const Tensor wanted = masked(layer, of_steps), axis = ops::expand_dims(of_steps, -1);
    EXPECT_EQ(difference(masked(layer, axis), wanted), 0);
    const Tensor of_units = ops::broadcast_to(axis, {2, 3, 5});
    EXPECT_LT(difference(masked(layer, of_units), wanted), 1e-6);
  }
}

TEST(Rnn, UnrolledMaskedStepsAreZerosWhereAskedFor) {
  const Tensor x = values({2, 4, 3}, 1);
  const Tensor mask = Array::from<uint8_t>({0, 1, 0, 1, 1, 1, 0, 0}, {2, 4}).astype(DType::boolean);
  for (const bool backwards : {false, true})
    for (const bool sequences : {false, true}) {
      const auto result = [&](bool unroll) {
        const LayerRef layer = layers::SimpleRNN({.units = 2,
                                                  .kernel_initializer = "ones",
                                                  .recurrent_initializer = "ones",
                                                  .return_sequences = sequences,
                                                  .go_backwards = backwards,
                                                  .unroll = unroll,
                                                  .zero_output_for_mask = true});
        return layer(x, {.tensors = {{"mask", {mask}}}});
      };
      EXPECT_LT(difference(result(true), result(false)), 1e-6);
    }
}

TEST(Rnn, RefusesWhatItCannotDo) {
  const Array x = values({2, 4, 3}, 1);
  EXPECT_REFUSED(layers::RNN({.cell = layers::Dense({.units = 2})}), "is not a cell");
  EXPECT_REFUSED(layers::LSTM({.units = 0}), "units must be positive, got 0");
  EXPECT_REFUSED(layers::LSTM({.units = 2})(values({2, 3}, 1)), "(batch, time, features)");
  EXPECT_REFUSED(
      layers::LSTM({.units = 2})(x, {.tensors = {{"initial_state", {values({2, 2}, 1)}}}}),
      "has 2 states, got 1");
  EXPECT_REFUSED(layers::Bidirectional({.layer = layers::GRU({.units = 2}), .merge_mode = "max"}),
                 "got \"max\"");
  EXPECT_REFUSED(layers::Bidirectional({.layer = layers::GRU({.units = 2}),
                                        .backward_layer = layers::GRU({.units = 2})}),
                 "go_backwards");
  EXPECT_REFUSED(layers::TimeDistributed({.layer = layers::Dense({.units = 2})})(values({2, 3}, 1)),
                 "(batch, time, …)");
}

// Long sequences use one fused op; training must reduce the loss.
TEST(Rnn, LearnsWhichWayASequenceGoes) {
  const int64_t samples = 64, time = 20;
  Array x(DType::float32, {samples, time, 1}), y(DType::float32, {samples, 1});
  for (int64_t s = 0; s < samples; ++s) {
    const bool up = s % 2 == 0;
    for (int64_t t = 0; t < time; ++t)
      x.mutable_data<float>()[static_cast<size_t>(s * time + t)] =
          static_cast<float>(up ? t : time - t) * 0.05f + static_cast<float>(s) * 0.001f;
    y.mutable_data<float>()[static_cast<size_t>(s)] = up ? 1 : 0;
  }
  set_random_seed(1);
  Sequential model({Input({.shape = {time, 1}}),
                    layers::Bidirectional({.layer = layers::LSTM({.units = 8})}),
                    layers::Dense({.units = 1, .activation = "sigmoid"})});
  model.compile(
      {.optimizer = optimizers::Adam({.learning_rate = 0.02}), .loss = "binary_crossentropy"});
  const auto losses = model.fit(x, y, {.batch_size = 16, .epochs = 6, .verbose = 0})["loss"];
  EXPECT_LT(losses.back(), 0.5 * losses.front());
}

}  // namespace
}  // namespace stoker
