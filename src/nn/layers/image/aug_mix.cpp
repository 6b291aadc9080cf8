#include "nn/layers/image/augmentations.h"
#include "nn/layers/image/drawn_beta.h"
#include "nn/operations/axis_helpers.h"
#include "stoker/layers/augmentation.h"

namespace stoker::layers {

template <class V>
void visit(AugMixArgs& a, V& v) {
  v("value_range", a.value_range);
  v("num_chains", a.num_chains);
  v("chain_depth", a.chain_depth);
  v("factor", a.factor);
  v("alpha", a.alpha);
  v("all_ops", a.all_ops);
  v("interpolation", a.interpolation);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

class AugMixLayer : public nn::RandomImageLayer<AugMixArgs> {
 public:
  AugMixLayer(const AugMixArgs& args, std::source_location created)
      : RandomImageLayer("AugMix", args, created),
        factor_(range_of("factor", args.factor, {0, 1})),
        values_(range_of("value_range", args.value_range, nn::any_values)),
        augmentations_(
            {factor_, args.value_range, args.interpolation, args.seed, dtype_policy(), created},
            args.all_ops) {
    args_.factor = config_of(factor_);
    expect_positive("num_chains", {args.num_chains});
    nn::expect_turns("num_chains", args.num_chains);
    nn::expect_turns("chain_depth", args.chain_depth);
    if (!(args.alpha > 0)) fail(fmt::format("alpha must be positive, got {}.", args.alpha));
  }

  std::vector<Sublayer> named_sublayers() const override { return augmentations_.layers(); }

 private:
  Tensor transform(const Tensor& images, nn::Draws& random) override {
    const Tensor alpha = Array::scalar(static_cast<float>(args_.alpha));
    const Tensor shares =
        ops::cast(nn::draw_shares(random, args_.num_chains, alpha), images.dtype());
    const Tensor own = ops::cast(nn::draw_beta(random, Shape{}, alpha), images.dtype());
    Tensor mixed = ops::zeros_like(images);
    for (int64_t chain = 0; chain < args_.num_chains; ++chain) {
      const Tensor share = ops::reshape(nn::part(shares, 0, chain, 1), Shape{});
      mixed = mixed + chained(images, random) * share;
    }
    return ops::clip(own * images + (1.0 - own) * mixed, values_.low, values_.high);
  }

  Tensor chained(const Tensor& images, nn::Draws& random) const {
    Tensor result = images;
    for (int64_t i = 0; i < args_.chain_depth; ++i)
      result = augmentations_.apply_one(result, random, true);
    return result;
  }

  nn::Range factor_, values_;
  nn::Augmentations augmentations_;
};

const nn::RegisterLayer<AugMixArgs> registered{"AugMix", AugMix};

}  // namespace

LayerRef AugMix(const AugMixArgs& args, std::source_location created) {
  return make_layer<AugMixLayer>(args, created);
}

}  // namespace stoker::layers
