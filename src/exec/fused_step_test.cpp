#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "exec/eager.h"
#include "exec/traced_step.h"
#include "stoker/gradient_tape.h"
#include "stoker/ops/conv.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/normalization.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/softmax.h"
#include "stoker/ops/update.h"

namespace stoker::exec {
namespace {

std::mt19937 engine(7);

Array random_array(const Shape& shape, float scale = 1) {
  std::vector<float> values(static_cast<size_t>(shape.size()));
  for (float& v : values) v = scale * std::uniform_real_distribution<float>(-1, 1)(engine);
  return Array::from(values, shape);
}
Array labels(int64_t n, int64_t classes) {
  std::vector<int32_t> values(static_cast<size_t>(n));
  for (auto& v : values) v = static_cast<int32_t>(engine() % static_cast<unsigned>(classes));
  return Array::from(values, Shape{n});
}

void expect_near(const Array& got, const Array& wanted, double tolerance, const std::string& what) {
  ASSERT_EQ(got.type(), wanted.type()) << what;
  for (int64_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got.at(i), wanted.at(i), tolerance * (1 + std::abs(wanted.at(i)))) << what << i;
}

// Weights with Adam's states; the test applies the updates itself.
struct Trained {
  std::vector<Variable> weights, m, v;
  void add(const Array& initial) {
    weights.emplace_back(initial.clone(), "w");
    m.emplace_back(Array(DType::float32, initial.shape()), "m", false);
    v.emplace_back(Array(DType::float32, initial.shape()), "v", false);
  }
  void step(const std::vector<Tensor>& gradients, const Tensor& step_size) const {
    for (size_t i = 0; i < weights.size(); ++i) {
      const auto now = ops::adam_update(weights[i], m[i], v[i], gradients[i], step_size, {});
      weights[i].assign(now[0]);
      m[i].assign(now[1]);
      v[i].assign(now[2]);
    }
  }
};

using Forward = Tensor (*)(const std::vector<Variable>&, const Tensor&);

Tensor mlp(const std::vector<Variable>& w, const Tensor& x) {
  return ops::matmul(ops::relu(ops::matmul(x, w[0]) + w[1]), w[2]) + w[3];
}
Tensor cnn(const std::vector<Variable>& w, const Tensor& x) {
  const Tensor images = ops::max_pool2d(ops::relu(ops::conv2d(x, w[0]) + w[1]), {});
  const Tensor more = ops::relu(ops::conv2d(images, w[2]) + w[3]);
  const Tensor pooled = ops::max_pool2d(more, {});
  return ops::matmul(ops::reshape(pooled, {x.shape()[0], -1}), w[4]) + w[5];
}

// One training step that outputs the loss and updates the weights.
TracedStep::Body training(Forward forward, const Trained& trained) {
  return [forward, trained](const std::vector<Tensor>& in) {
    GradientTape tape;
    const Tensor loss =
        ops::mean(ops::sparse_softmax_cross_entropy(in[1], forward(trained.weights, in[0])));
    const Tensor step_size = Tensor(Array::scalar(0.01f)) * 0.5;
    trained.step(tape.gradient(loss, trained.weights), step_size);
    return std::vector<Tensor>{loss};
  };
}

// As in fit: rows are gathered by indices, and the accuracy is an output, too.
TracedStep::Body fitting(Forward forward, const Trained& trained) {
  return [forward, trained](const std::vector<Tensor>& in) {
    const Tensor x = ops::gather(in[0], in[2]), y = ops::gather(in[1], in[2]);
    GradientTape tape;
    const Tensor logits = forward(trained.weights, x);
    const Tensor loss = ops::mean(ops::sparse_softmax_cross_entropy(y, logits));
    const Tensor hit = ops::equal(ops::cast(y, DType::int64), ops::argmax(ops::softmax(logits)));
    trained.step(tape.gradient(loss, trained.weights), Tensor(Array::scalar(0.005f)));
    return std::vector<Tensor>{loss, ops::sum(ops::cast(hit, DType::float32))};
  };
}

using Training = TracedStep::Body (*)(Forward, const Trained&);

// The same steps, compiled and fused on one side, op by op on the other.
void compare(Forward forward, const std::vector<Array>& initial, const Shape& images,
             Training train = training) {
  Trained fused, plain;
  for (const Array& array : initial) fused.add(array), plain.add(array);
  TracedStep step(train(forward, fused));
  const auto body = train(forward, plain);
  for (int i = 0; i < 3; ++i) {
    std::vector<Tensor> in{random_array(images), labels(images[0], 10)};
    if (train == fitting) in.push_back(labels(images[0] + 1, images[0]));
    std::vector<TensorType> types;
    for (const Tensor& tensor : in) types.push_back(tensor.type());
    const auto got = run_on_tensors(*step.step_for(types), in), wanted = body(in);
    for (size_t o = 0; o < got.size(); ++o)
      expect_near(got[o].array(), wanted[o].array(), 1e-4, "output ");
  }
  for (size_t i = 0; i < initial.size(); ++i) {
    expect_near(fused.weights[i].array(), plain.weights[i].array(), 1e-3, "weight ");
    expect_near(fused.m[i].array(), plain.m[i].array(), 1e-3, "m ");
  }
}

std::vector<Array> mlp_weights(int64_t in, int64_t hidden) {
  return {random_array({in, hidden}, 0.05f), random_array({hidden}, 0.1f),
          random_array({hidden, 10}, 0.1f), random_array({10}, 0.1f)};
}

TEST(FusedStep, TrainsAnMlpAsItsOpsDo) { compare(mlp, mlp_weights(49, 33), Shape{17, 49}); }

TEST(FusedStep, FitsAnMlpAsItsOpsDo) { compare(mlp, mlp_weights(20, 16), Shape{17, 20}, fitting); }

// Enough samples for a reduction over several thread blocks.
TEST(FusedStep, FitsALargeBatchAsItsOpsDo) {
  compare(mlp, mlp_weights(5, 40), Shape{700, 5}, fitting);
}

// The logits of a vocabulary: a large, odd number of classes, for which there are special kernels.
Tensor vocabulary(const std::vector<Variable>& w, const Tensor& x) {
  return ops::matmul(ops::relu(ops::matmul(x, w[0])), w[1], {.transpose_b = true});
}
TEST(FusedStep, TrainsAVocabularyAsItsOpsDo) {
  compare(vocabulary, {random_array({12, 8}, 0.3f), random_array({3001, 8}, 0.3f)}, Shape{350, 12});
}
TEST(FusedStep, TrainsAWideLastLayerAsItsOpsDo) {
  compare(mlp,
          {random_array({12, 8}, 0.3f), random_array({8}, 0.1f), random_array({8, 3002}, 0.3f),
           random_array({3002}, 0.1f)},
          Shape{350, 12});
}

std::vector<Array> cnn_weights() {
  return {random_array({3, 3, 1, 8}, 0.3f),     random_array({8}, 0.1f),
          random_array({3, 3, 8, 12}, 0.1f),    random_array({12}, 0.1f),
          random_array({2 * 2 * 12, 10}, 0.2f), random_array({10}, 0.1f)};
}

TEST(FusedStep, TrainsACnnAsItsOpsDo) { compare(cnn, cnn_weights(), Shape{6, 14, 14, 1}); }

// A residual block: batch normalisations, a skip connection and a relu.
Tensor residual(const std::vector<Variable>& w, const Tensor& x) {
  const auto normal = [&](const Tensor& in, size_t first) {
    const Tensor y = ops::conv2d(in, w[first], {.padding = {1, 1, 1, 1}});
    return ops::batch_norm(y, w[first + 1], w[first + 2], 1e-3).y;
  };
  const Tensor h = ops::relu(normal(x, 0));
  const Tensor end = ops::relu(normal(h, 3) + h);
  return ops::matmul(ops::mean(end, {.axis = {1, 2}}), w[6]) + w[7];
}

TEST(FusedStep, TrainsAResidualBlockAsItsOpsDo) {
  compare(residual,
          {random_array({3, 3, 2, 8}, 0.3f), random_array({8}, 1), random_array({8}, 0.1f),
           random_array({3, 3, 8, 8}, 0.2f), random_array({8}, 1), random_array({8}, 0.1f),
           random_array({8, 10}, 0.5f), random_array({10}, 0.1f)},
          Shape{6, 7, 7, 2});
}

// Each of these fusions avoids passes over whole images.
TEST(FusedStep, FusesTheConvolutionsOfACnn) {
  Trained trained;
  for (const Array& array : cnn_weights()) trained.add(array);
  TracedStep step(training(cnn, trained));
  const std::string text =
      step.step_for({{DType::float32, Shape{6, 14, 14, 1}}, {DType::int32, Shape{6}}})
          ->graph()
          .to_string();
  for (const char* op : {"conv2d_bias_pool(", "conv2d_input_grad_masked(",
                         "conv2d_kernel_bias_grad_pooled(", "matmul_adam", "mask=1"})
    EXPECT_NE(text.find(op), std::string::npos) << op << " is not in\n" << text;
  EXPECT_EQ(text.find("= relu"), std::string::npos) << text;
}

TEST(FusedStep, LeavesFewNodesOfAnMlp) {
  Trained trained;
  for (const Array& array : mlp_weights(49, 33)) trained.add(array);
  TracedStep step(training(mlp, trained));
  const auto& graph =
      step.step_for({{DType::float32, Shape{17, 49}}, {DType::int32, Shape{17}}})->graph();
  EXPECT_LE(graph.nodes.size(), 18u) << graph.to_string();
}

}  // namespace
}  // namespace stoker::exec
