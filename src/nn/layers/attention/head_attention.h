#pragma once
#include "graph/emit.h"
#include "nn/layers/args_layer.h"
#include "nn/layers/attention/attention_mask.h"
#include "nn/layers/attention/dot_product_attention.h"
#include "stoker/layers/einsum_dense.h"

namespace stoker::nn {

// Attention with projections into and out of heads: the common part of MultiHeadAttention and
// GroupQueryAttention.
template <class Args>
class HeadAttention : public ArgsLayer<Args> {
 public:
  HeadAttention(const char* class_name, const Args& args, std::source_location created)
      : ArgsLayer<Args>(class_name, args, created) {
    this->supports_masking = true;
    if (!(args.dropout >= 0 && args.dropout < 1))
      this->fail(fmt::format("dropout must be at least 0 and below 1, got {}.", args.dropout));
    if (args.sliding_window) this->expect_positive("sliding_window", {*args.sliding_window});
  }

  void build_all(const std::vector<Shape>& inputs) override {
    if (this->args_.dropout > 0)
      dropout_ = DrawnDropout(this->add_state("random", first_random_state(this->args_.seed)));
    if (inputs.size() >= 2) make(inputs[0], inputs[1], inputs.size() > 2 ? inputs[2] : inputs[1]);
  }

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override {
    const Roles r = roles(inputs, args);
    if (!query_.ptr()) make(r.query.shape(), r.value.shape(), r.key.shape());
    AttentionMask hidden = masks(r, args);
    const bool scores = args.flag("return_attention_scores", false);
    const bool fused = fuses(r.query.shape().rank() + 1, scores);
    const bool causal = hidden.causal && fused;
    if (fused) hidden.causal = false;
    const Tensor mask = merged(hidden, r.query.shape()[1], r.value.shape()[1]);
    const AttentionResult out =
        compute_attention({.query = query_(r.query),
                           .key = key_(r.key),
                           .value = value_(r.value),
                           .mask = mask,
                           .fused = fused,
                           .causal = causal,
                           .scores = scores,
                           .dropout = args.training ? this->args_.dropout : 0,
                           .noise = &dropout_});
    const Tensor y = gate_.ptr() ? out.output * gate_(r.query) : out.output;
    if (!scores) return {output_(y)};
    return {output_(y), out.scores};
  }

  std::vector<Tensor> compute_mask(const std::vector<Tensor>&,
                                   const std::vector<Tensor>& masks) override {
    return {masks.empty() ? Tensor() : masks[0]};
  }

  // By the names of Keras's attributes; public ones are preferred.
  std::vector<Layer::Sublayer> named_sublayers() const override {
    if (!query_.ptr()) return {};
    const std::string prefix = public_projections() ? "" : "_";
    std::vector<Layer::Sublayer> all{{prefix + "query_dense", query_},
                                     {prefix + "key_dense", key_}};
    if (gate_.ptr()) all.push_back({"_gate_dense", gate_});
    all.push_back({prefix + "value_dense", value_});
    all.push_back({prefix + "output_dense", output_});
    return all;
  }

  Layer::CallSignature call_signature() const override {
    return {{"query", "value", "key"},
            {"query_mask", "value_mask", "key_mask", "attention_mask", "return_attention_scores",
             "training", "use_causal_mask"}};
  }

 protected:
  virtual void make_projections(const Shape& query, const Shape& value, const Shape& key) = 0;
  virtual AttentionResult compute_attention(DotProductAttentionArgs args) const = 0;
  // Are the projections, except the gate's, public attributes in Keras?
  virtual bool public_projections() const = 0;
  virtual bool takes_query_mask() const { return true; }

  // A layer that contracts the last `bound` axes of its input into `out` axes.
  LayerRef projection(const char* name, const Shape& input, int bound, const Shape& out,
                      const Activation& activation = {}) const {
    const int free = input.rank() - bound;
    std::string letters = "abcdefghijklmnopqrstuvwxyz";
    const auto part = [&](int from, int count) {
      return letters.substr(static_cast<size_t>(from), static_cast<size_t>(count));
    };
    const std::string kept = part(0, free), summed = part(free, bound),
                      made = part(free + bound, out.rank());
    std::vector<int64_t> dims(static_cast<size_t>(free - 1), unknown);
    dims.insert(dims.end(), out.begin(), out.end());
    const Args& a = this->args_;
    LayerRef layer =
        layers::EinsumDense({.equation = kept + summed + "," + summed + made + "->" + kept + made,
                             .output_shape = Shape(std::move(dims)),
                             .activation = activation,
                             .bias_axes = a.use_bias ? std::optional(made) : std::nullopt,
                             .kernel_initializer = a.kernel_initializer,
                             .bias_initializer = a.bias_initializer,
                             .kernel_regularizer = a.kernel_regularizer,
                             .bias_regularizer = a.bias_regularizer,
                             .activity_regularizer = a.activity_regularizer,
                             .kernel_constraint = a.kernel_constraint,
                             .bias_constraint = a.bias_constraint,
                             .name = name,
                             .dtype = this->dtype_policy()},
                            this->created());
    const graph::PathScope path(name);
    layer->build_once({input});
    return layer;
  }

  LayerRef query_, key_, value_, gate_, output_;

 private:
  struct Roles {
    Tensor query, value, key;
    Tensor query_mask, value_mask, key_mask;
  };

  // Inputs by position or by name; their masks attached or given by name.
  Roles roles(const std::vector<Tensor>& inputs, const CallArgs& args) const {
    const auto input = [&](size_t place, const char* name) {
      return place < inputs.size() ? inputs[place] : args.tensor(name);
    };
    const auto mask = [&](size_t place, const Tensor& of, const char* name) {
      if (const Tensor given = args.tensor(name); given.defined()) return given;
      const Tensor carried = args.mask(place);
      return carried.defined() || !of.defined() ? carried : of.mask();
    };
    Roles r{input(0, "query"), input(1, "value"), input(2, "key")};
    if (!r.query.defined() || !r.value.defined())
      this->fail(fmt::format("takes a query and a value, got {} inputs.", inputs.size()),
                 "call it on {query, value} or {query, value, key}.");
    r.query_mask = takes_query_mask() ? mask(0, r.query, "query_mask") : r.query.mask();
    r.value_mask = mask(1, r.value, "value_mask");
    r.key_mask = mask(2, r.key, "key_mask");
    if (!r.key.defined()) r.key = r.value;
    return r;
  }

  AttentionMask masks(const Roles& r, const CallArgs& args) const {
    return {r.query_mask,
            r.value_mask,
            r.key_mask,
            args.tensor("attention_mask"),
            args.flag("use_causal_mask", false),
            this->args_.sliding_window};
  }

  // Without dropout and returned scores the fused op is used.
  bool fuses(int rank, bool scores) const {
    return this->args_.dropout == 0 && !scores && rank == 4;
  }

  void make(const Shape& query, const Shape& value, const Shape& key) {
    if (query.rank() < 3 || value.rank() < 3)
      this->fail(fmt::format("expects (batch, …, positions, features), got query {} and value {}.",
                             to_string(query), to_string(value)));
    make_projections(query, value, key);
  }

  DrawnDropout dropout_;
};

}  // namespace stoker::nn
