#include "stoker/function.h"
#include "stoker/gradient_tape.h"
#include "stoker/loss.h"
#include "stoker/losses.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/softmax.h"
#include "support/relative.h"

namespace stoker {
namespace {

using golden::near_relative;

std::vector<Tensor> value_and_gradient(const LossRef& loss, const Tensor& y_true,
                                       const Tensor& y_pred, const Tensor& weight) {
  GradientTape tape;
  const Tensor value = loss(y_true, y_pred, weight);
  return {value, tape.gradient(ops::sum(value), std::vector<Tensor>{y_pred})[0]};
}

TEST(GoldenLosses, ValuesAndGradientsAreKeras) {
  const auto group = golden::load("losses");
  ASSERT_GT(group.cases().size(), 100u);
  for (const Config& c : group.cases()) {
    const LossRef loss(golden::object_of(c));
    const Array weight = group.array(c, "sample_weight");
    const auto got = value_and_gradient(loss, group.array(c, "y_true"), group.array(c, "y_pred"),
                                        weight.defined() ? Tensor(weight) : Tensor());
    EXPECT_TRUE(near_relative(got[0].array(), group.array(c, "value"))) << golden::id(c);
    EXPECT_TRUE(near_relative(got[1].array(), group.array(c, "grad"))) << golden::id(c);
  }
}

TEST(GoldenLosses, TracedIsTheSame) {
  const auto group = golden::load("losses");
  for (const Config& c : group.cases()) {
    const LossRef loss(golden::object_of(c));
    const Array w = group.array(c, "sample_weight");
    const auto step = function([&](const Tensor& y_true, const Tensor& y_pred) {
      return value_and_gradient(loss, y_true, y_pred, w.defined() ? Tensor(w) : Tensor());
    });
    const auto got = step(group.array(c, "y_true"), group.array(c, "y_pred"));
    EXPECT_TRUE(near_relative(got[0].array(), group.array(c, "value"))) << golden::id(c);
    EXPECT_TRUE(near_relative(got[1].array(), group.array(c, "grad"))) << golden::id(c);
  }
}

// Logits so far apart that float32 probabilities are 0 and 1.
const Array extreme = Array::from<float>({60, 0, -60, -60, 0, 60}, {2, 3});
const Array labels = Array::from<int64_t>({2, 0}, {2});

TEST(Losses, SparseCrossentropyLooksBehindATracedSoftmax) {
  const auto step = function([](const Tensor& logits, const Tensor& y) {
    return losses::SparseCategoricalCrossentropy()(y, ops::softmax(logits));
  });
  EXPECT_NEAR(step(extreme, labels).item(), 120, 1e-4);
}

TEST(Losses, CategoricalCrossentropyLooksThroughAReshape) {
  const Array one_hot = Array::from<float>({0, 0, 1, 1, 0, 0}, {2, 1, 3});
  const auto step = function([](const Tensor& logits, const Tensor& y) {
    return losses::CategoricalCrossentropy()(y, ops::reshape(ops::softmax(logits), {2, 1, 3}));
  });
  EXPECT_NEAR(step(extreme, one_hot).item(), 120, 1e-4);
}

TEST(Losses, BinaryCrossentropyLooksBehindATracedSigmoid) {
  const Array logits = Array::from<float>({50, -30}, {2, 1}), y = Array::from<int>({0, 1}, {2});
  const auto step = function([](const Tensor& x, const Tensor& t) {
    return losses::BinaryCrossentropy()(t, ops::sigmoid(x));
  });
  EXPECT_NEAR(step(logits, y).item(), 40, 1e-4);
}

TEST(Losses, BinaryCrossentropyHasItsSlopeAtZero) {
  const Array zero(DType::float32, {1, 1}), one = Array::from<float>({1}, {1, 1});
  const auto got =
      value_and_gradient(losses::BinaryCrossentropy({.from_logits = true}), one, zero, {});
  EXPECT_NEAR(got[1].item(), -0.5, 1e-6);
}

TEST(Losses, LabelsMayHaveAnyTypeAndALastAxis) {
  const auto loss = losses::SparseCategoricalCrossentropy({.from_logits = true});
  const double want = loss(labels, extreme).item();
  for (DType dtype : {DType::uint8, DType::int8, DType::int32, DType::float32})
    EXPECT_EQ(loss(labels.astype(dtype).reshape({2, 1}), extreme).item(), want) << name_of(dtype);
  EXPECT_EQ(loss->label_classes(extreme.type()), 3);
}

TEST(Losses, CrossentropyFollowsTheShapes) {
  const Array p = Array::from<float>({0.2F, 0.3F, 0.5F, 0.6F, 0.3F, 0.1F}, {2, 3});
  const double want = -(std::log(0.5) + std::log(0.6)) / 2;
  EXPECT_NEAR(LossRef("crossentropy")(labels, p).item(), want, 1e-6);
  EXPECT_NEAR(LossRef("ce")(Array::from<float>({0, 0, 1, 1, 0, 0}, {2, 3}), p).item(), want, 1e-6);
  EXPECT_NEAR(LossRef("ce")(Array::from<int>({1}, {1}), Array::from<float>({0.25F}, {1, 1})).item(),
              std::log(4), 1e-6);
}

TEST(Losses, AMismatchNamesBothShapesAndTheWayOut) {
  try {
    LossRef("categorical_crossentropy")(labels, extreme);
    FAIL();
  } catch (const InvalidArgument& error) {
    const std::string what = error.what();
    for (const char* part : {"(2,)", "(2, 3)", "sparse_categorical_crossentropy"})
      EXPECT_NE(what.find(part), std::string::npos) << what;
  }
  EXPECT_THROW(LossRef("mse")(labels, extreme), InvalidArgument);
  EXPECT_THROW(LossRef("sparse_categorical_crossentropy")(extreme, extreme), InvalidArgument);
  EXPECT_THROW(LossRef("mse")(extreme, extreme, Array(DType::float32, {3})), InvalidArgument);
}

TEST(Losses, UnknownNamesAndArgumentsAreRefused) {
  try {
    LossRef("sparse_categorical_crosentropy");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(error.hint().find("sparse_categorical_crossentropy"), std::string::npos);
  }
  const auto huber = [](const Config& arguments) {
    return LossRef(Config::map({{"class_name", "Huber"}, {"config", arguments}}));
  };
  EXPECT_THROW(huber(Config::map({{"detla", 2.0}})), InvalidArgument);
  EXPECT_THROW(huber(Config::map({{"reduction", "average"}})), InvalidArgument);
  EXPECT_EQ(huber(Config::map({{"delta", 2.0}}))->get_config().find("delta")->as_double(), 2);
}

TEST(Losses, ALambdaIsALoss) {
  const LossRef loss = [](const Tensor& y_true, const Tensor& y_pred) {
    return ops::mean(ops::abs(y_true - y_pred), {.axis = {-1}});
  };
  const Array y = Array::from<int>({1, 2, 3, 4}, {2, 2});
  const Array p = Array::from<float>({2, 2, 3, 7}, {2, 2});
  EXPECT_EQ(loss(y, p).item(), 1);
}

}  // namespace
}  // namespace stoker
