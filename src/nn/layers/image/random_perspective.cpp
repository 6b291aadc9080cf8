#include "nn/layers/image/perspective.h"
#include "nn/layers/image/random_image_layer.h"
#include "stoker/layers/perspective.h"

namespace stoker::layers {

template <class V>
void visit(RandomPerspectiveArgs& a, V& v) {
  v("factor", a.factor);
  v("scale", a.scale);
  v("interpolation", a.interpolation);
  v("fill_value", a.fill_value);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

class RandomPerspectiveLayer : public nn::RandomImageLayer<RandomPerspectiveArgs> {
 public:
  RandomPerspectiveLayer(const RandomPerspectiveArgs& args, std::source_location created)
      : RandomImageLayer("RandomPerspective", args, created),
        chance_(range_of("factor", args.factor, {0, 1})) {
    args_.factor = config_of(chance_);
    expect_share("scale", args.scale);
    if (args.interpolation != "bilinear" && args.interpolation != "nearest")
      fail(fmt::format("unknown interpolation \"{}\".", args.interpolation),
           "use \"bilinear\" or \"nearest\".");
  }

 private:
  // Each corner moves by a fraction of its coordinates, so that the top left one stays.
  Tensor transform(const Tensor& images, nn::Draws& random) override {
    const double right = static_cast<double>(images.shape()[2]) - 1,
                 bottom = static_cast<double>(images.shape()[1]) - 1;
    const Tensor chance = random.uniform(per_image(images), chance_.low, chance_.high);
    const Tensor chosen = ops::less(random.uniform(per_image(images)), chance);
    nn::Corners start, end;
    for (size_t i = 0; i < 4; ++i) {
      start.x[i] = place(images, i % 2 == 1 ? right : 0);
      start.y[i] = place(images, i >= 2 ? bottom : 0);
      end.x[i] = start.x[i] * (1.0 + shift(images, random));
      end.y[i] = start.y[i] * (1.0 + shift(images, random));
    }
    const Tensor moved = nn::perspective_transform(
        images, start, end, {args_.interpolation, "constant", args_.fill_value});
    return ops::where(ops::expand_dims(chosen, -1), moved, images);
  }
  static Tensor place(const Tensor& images, double at) { return ops::fill(per_image(images), at); }
  Tensor shift(const Tensor& images, nn::Draws& random) const {
    return random.uniform(per_image(images), -0.5 * args_.scale, 0.5 * args_.scale);
  }
  nn::Range chance_;
};

const nn::RegisterLayer<RandomPerspectiveArgs> registered{"RandomPerspective", RandomPerspective};

}  // namespace

LayerRef RandomPerspective(const RandomPerspectiveArgs& args, std::source_location created) {
  return make_layer<RandomPerspectiveLayer>(args, created);
}

}  // namespace stoker::layers
