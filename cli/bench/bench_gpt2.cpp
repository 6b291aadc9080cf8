#include "bench_gpt2.h"

#include "stoker/activations.h"
#include "stoker/initializers.h"
#include "stoker/layers.h"
#include "stoker/ops.h"

namespace stoker::cli {
namespace {

struct Block {
  explicit Block(const Gpt2Args& args)
      : first_norm(layers::LayerNormalization({.epsilon = 1e-5})),
        attention(layers::MultiHeadAttention(
            {.num_heads = args.heads, .key_dim = args.units / args.heads})),
        second_norm(layers::LayerNormalization({.epsilon = 1e-5})),
        wide(layers::Dense({.units = 4 * args.units})),
        narrow(layers::Dense({.units = args.units})) {}

  Tensor operator()(const Tensor& x, bool training) const {
    const Config causal = Config::map({{"use_causal_mask", true}});
    const Tensor y = first_norm(x);
    const Tensor h = x + attention({y, y}, {.training = training, .options = causal});
    return h + narrow(activations::gelu(wide(second_norm(h)), true));
  }

  LayerRef first_norm, attention, second_norm, wide, narrow;
};

class Gpt2Layer : public Layer {
 public:
  explicit Gpt2Layer(const Gpt2Args& args)
      : Layer("Gpt2"), args_(args), last_norm_(layers::LayerNormalization({.epsilon = 1e-5})) {
    for (int64_t i = 0; i < args.blocks; ++i) blocks_.emplace_back(args);
  }

  void build(const Shape&) override {
    const Initializer small = initializers::RandomNormal({.stddev = 0.02});
    tokens_ =
        add_weight("tokens", {.shape = {args_.vocabulary, args_.units}, .initializer = small});
    places_ = add_weight("places", {.shape = {args_.places, args_.units}, .initializer = small});
  }

  // The token embedding is also the output projection (tied weights).
  Tensor call(const Tensor& x, const CallArgs& args) override {
    const Tensor tokens = tokens_;
    Tensor h = ops::gather(tokens, x) + ops::expand_dims(places_, 0);
    for (const Block& block : blocks_) h = block(h, args.training);
    const Tensor rows = ops::reshape(last_norm_(h), {-1, args_.units});
    const Tensor logits = ops::matmul(rows, tokens, {.transpose_b = true});
    return ops::reshape(logits, {x.shape()[0], x.shape()[1], args_.vocabulary});
  }

  std::vector<Sublayer> named_sublayers() const override {
    std::vector<Sublayer> all;
    for (const Block& b : blocks_)
      for (const LayerRef& layer : {b.first_norm, b.attention, b.second_norm, b.wide, b.narrow})
        all.push_back({layer->name(), layer});
    all.push_back({"last_norm", last_norm_});
    return all;
  }

 private:
  Gpt2Args args_;
  std::vector<Block> blocks_;
  LayerRef last_norm_;
  Variable tokens_, places_;
};

}  // namespace

LayerRef Gpt2(const Gpt2Args& args) { return make_layer<Gpt2Layer>(args); }

}  // namespace stoker::cli
