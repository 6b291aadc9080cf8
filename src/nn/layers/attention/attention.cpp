#include "stoker/layers/attention.h"

#include "graph/emit.h"
#include "nn/layers/args_layer.h"
#include "nn/layers/regularization/drawn_dropout.h"
#include "stoker/ops/attention.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/softmax.h"

namespace stoker::layers {

template <class V>
void visit(AttentionArgs& a, V& v) {
  v("use_scale", a.use_scale);
  v("score_mode", a.score_mode);
  v("dropout", a.dropout);
  v("seed", a.seed);
  nn::visit_layer(a, v);
}
template <class V>
void visit(AdditiveAttentionArgs& a, V& v) {
  v("use_scale", a.use_scale);
  v("dropout", a.dropout);
  v("seed", a.seed);
  nn::visit_layer(a, v);
}

namespace {

// tanh(scale * (q + k)) summed over features, for every query and key.
Tensor sum_of_tanh(const Tensor& q, const Tensor& k, const Tensor& inside, const Tensor& outside) {
  Tensor sum = ops::expand_dims(q, -2) + ops::expand_dims(k, -3);
  if (inside.defined()) sum = inside * sum;
  sum = ops::tanh(sum);
  return ops::sum(outside.defined() ? outside * sum : sum, {.axis = {-1}});
}

// Common to both layers: from scores to outputs.
template <class Args>
class ScoredAttention : public nn::ArgsLayer<Args> {
 public:
  ScoredAttention(const char* class_name, const Args& args, std::source_location created)
      : nn::ArgsLayer<Args>(class_name, args, created) {
    this->supports_masking = true;
  }

  void build_all(const std::vector<Shape>& inputs) override {
    expect_count(inputs.size());
    if (this->args_.dropout > 0)
      dropout_ =
          nn::DrawnDropout(this->add_state("random", nn::first_random_state(this->args_.seed)));
    make_weights(inputs[0]);
  }

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override {
    expect_count(inputs.size());
    const Tensor &q = inputs[0], &v = inputs[1], &k = inputs.size() > 2 ? inputs[2] : v;
    const Tensor weights = ops::softmax(hidden(scores(q, k), args));
    Tensor used = weights;
    if (args.training && this->args_.dropout > 0)
      used = used * dropout_.noise(used.shape(), this->args_.dropout, used.dtype());
    Tensor y = ops::matmul(used, v);
    if (const Tensor mask = args.mask(0); mask.defined())
      y = ops::where(ops::expand_dims(mask, -1), y, graph::scalar_like(y, 0));
    if (args.flag("return_attention_scores", false)) return {y, weights};
    return {y};
  }

  std::vector<Tensor> compute_mask(const std::vector<Tensor>&,
                                   const std::vector<Tensor>& masks) override {
    return {masks[0]};
  }

  Layer::CallSignature call_signature() const override {
    return {{"inputs"}, {"mask", "training", "return_attention_scores", "use_causal_mask"}};
  }

 protected:
  virtual void make_weights(const Shape& query) = 0;
  virtual Tensor scores(const Tensor& q, const Tensor& k) const = 0;

 private:
  void expect_count(size_t count) const {
    if (count < 2 || count > 3)
      this->fail(
          fmt::format("takes {{query, value}} or {{query, value, key}}, got {} inputs.", count));
  }
  static Tensor hidden(const Tensor& scores, const CallArgs& args) {
    Tensor mask = args.mask(1);
    if (mask.defined()) mask = ops::expand_dims(mask, -2);
    if (args.flag("use_causal_mask", false)) {
      const Tensor causal = ops::causal_mask(scores.shape()[-2], scores.shape()[-1]);
      mask = mask.defined() ? ops::logical_and(mask, causal) : causal;
    }
    if (!mask.defined()) return scores;
    const double far = scores.dtype() == DType::float16 ? 65504.0 : 1e9;
    return ops::where(mask, scores, scores - far);
  }
  nn::DrawnDropout dropout_;
};

class AttentionLayer : public ScoredAttention<AttentionArgs> {
 public:
  AttentionLayer(const AttentionArgs& args, std::source_location created)
      : ScoredAttention("Attention", args, created) {
    if (args.score_mode != "dot" && args.score_mode != "concat")
      fail(fmt::format("score_mode must be \"dot\" or \"concat\", got \"{}\".", args.score_mode));
  }

 protected:
  void make_weights(const Shape&) override {
    if (args_.use_scale) scale_ = add_weight("scale", {.shape = {}, .initializer = "ones"});
    if (args_.score_mode == "concat")
      concat_ = add_weight("concat_score_weight", {.shape = {}, .initializer = "ones"});
  }
  Tensor scores(const Tensor& q, const Tensor& k) const override {
    const Tensor scale = args_.use_scale ? scale_.read() : Tensor();
    if (concat_.defined()) return concat_ * sum_of_tanh(q, k, scale, {});
    const Tensor dots = ops::matmul(q, k, {.transpose_b = true});
    return scale.defined() ? dots * scale : dots;
  }

 private:
  Variable scale_, concat_;
};

class AdditiveAttentionLayer : public ScoredAttention<AdditiveAttentionArgs> {
 public:
  AdditiveAttentionLayer(const AdditiveAttentionArgs& args, std::source_location created)
      : ScoredAttention("AdditiveAttention", args, created) {}

 protected:
  void make_weights(const Shape& query) override {
    if (args_.use_scale) scale_ = add_weight("scale", {.shape = {query.back()}});
  }
  Tensor scores(const Tensor& q, const Tensor& k) const override {
    return sum_of_tanh(q, k, {}, args_.use_scale ? scale_.read() : Tensor());
  }

 private:
  Variable scale_;
};

const nn::RegisterLayer<AttentionArgs> attention{"Attention", Attention};
const nn::RegisterLayer<AdditiveAttentionArgs> additive{"AdditiveAttention", AdditiveAttention};

}  // namespace

LayerRef Attention(const AttentionArgs& args, std::source_location created) {
  return make_layer<AttentionLayer>(args, created);
}
LayerRef AdditiveAttention(const AdditiveAttentionArgs& args, std::source_location created) {
  return make_layer<AdditiveAttentionLayer>(args, created);
}

}  // namespace stoker::layers
