#include "nn/layers/image/augmentations.h"
#include "stoker/layers/augmentation.h"

namespace stoker::layers {

template <class V>
void visit(RandAugmentArgs& a, V& v) {
  v("value_range", a.value_range);
  v("num_ops", a.num_ops);
  v("factor", a.factor);
  v("interpolation", a.interpolation);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

class RandAugmentLayer : public nn::RandomImageLayer<RandAugmentArgs> {
 public:
  RandAugmentLayer(const RandAugmentArgs& args, std::source_location created)
      : RandomImageLayer("RandAugment", args, created),
        factor_(range_of("factor", args.factor, {0, 1})),
        augmentations_(
            {factor_, args.value_range, args.interpolation, args.seed, dtype_policy(), created},
            true) {
    args_.factor = config_of(factor_);
    nn::expect_turns("num_ops", args.num_ops);
  }

  std::vector<Sublayer> named_sublayers() const override { return augmentations_.layers(); }

 private:
  Tensor transform(const Tensor& images, nn::Draws& random) override {
    Tensor result = images;
    for (int64_t i = 0; i < args_.num_ops; ++i)
      result = augmentations_.apply_one(result, random, false);
    return result;
  }

  nn::Range factor_;
  nn::Augmentations augmentations_;
};

const nn::RegisterLayer<RandAugmentArgs> registered{"RandAugment", RandAugment};

}  // namespace

LayerRef RandAugment(const RandAugmentArgs& args, std::source_location created) {
  return make_layer<RandAugmentLayer>(args, created);
}

}  // namespace stoker::layers
