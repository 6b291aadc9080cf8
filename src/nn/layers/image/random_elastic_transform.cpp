#include "nn/layers/image/image_blur.h"
#include "nn/layers/image/image_sampling.h"
#include "nn/layers/image/random_image_layer.h"
#include "stoker/layers/elastic_transform.h"

namespace stoker::layers {

template <class V>
void visit(RandomElasticTransformArgs& a, V& v) {
  v("factor", a.factor);
  v("scale", a.scale);
  v("interpolation", a.interpolation);
  v("fill_mode", a.fill_mode);
  v("fill_value", a.fill_value);
  v("value_range", a.value_range);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

class RandomElasticTransformLayer : public nn::RandomImageLayer<RandomElasticTransformArgs> {
 public:
  RandomElasticTransformLayer(const RandomElasticTransformArgs& args, std::source_location created)
      : RandomImageLayer("RandomElasticTransform", args, created),
        share_(range_of("factor", args.factor, {0, 1})),
        scale_(range_of("scale", args.scale, {0, 1})),
        values_(range_of("value_range", args.value_range, nn::any_values)) {
    args_.factor = config_of(share_);
    args_.scale = config_of(scale_);
    expect_one_of("interpolation", args.interpolation, {"bilinear", "nearest"});
    expect_one_of("fill_mode", args.fill_mode, {"reflect", "wrap", "constant", "nearest"});
  }

 private:
  Tensor transform(const Tensor& images, nn::Draws& random) override {
    if (share_.high == 0 || scale_.high == 0) return images;
    const auto height = static_cast<double>(images.shape()[1]),
               width = static_cast<double>(images.shape()[2]);
    const Tensor share = random.uniform(per_image(images), share_.low, share_.high);
    const Tensor chosen = ops::less(random.uniform(per_image(images)), share);
    const Tensor scale = random.uniform(Shape{}, scale_.low, scale_.high);
    const Tensor reach = scale * (0.1 * std::max(height, width));
    const double widest = 0.05 * std::min(height, width);
    const Tensor sigma = ops::maximum(scale * widest, smallest);
    const auto shift = [&] {
      const Tensor drawn =
          random.normal({images.shape()[0], images.shape()[1], images.shape()[2], 1});
      return reach * ops::squeeze(blurred(drawn * sigma, sigma, widest * scale_.high), -1);
    };
    const Tensor x = nn::column_numbers(images.shape()[2]) + shift(),
                 y = nn::row_numbers(images.shape()[1]) + shift();
    const Tensor moved =
        nn::sample(images, x, y, {args_.interpolation, args_.fill_mode, args_.fill_value});
    const Tensor mixed = ops::where(ops::expand_dims(chosen, -1), moved, images);
    return ops::clip(mixed, values_.low, values_.high);
  }

  // A Gaussian window of three sigmas to each side; its maximum size is known beforehand.
  static Tensor blurred(const Tensor& x, const Tensor& sigma, double widest) {
    const auto reach = static_cast<int64_t>(3 * std::floor(widest));
    std::vector<Tensor> weights;
    Tensor total;
    for (int64_t i = -reach; i <= reach; ++i) {
      const auto away = static_cast<double>(std::abs(i));
      const Tensor inside = ops::greater_equal(3.0 * ops::floor(sigma), away);
      const Tensor weight = ops::where(inside, ops::exp(-0.5 * ops::square(away / sigma)),
                                       Tensor(Array::scalar(0.0f)));
      total = total.defined() ? total + weight : weight;
      weights.push_back(weight);
    }
    for (Tensor& weight : weights) weight = weight / total;
    return nn::weigh_neighbours(nn::weigh_neighbours(x, 1, weights), 2, weights);
  }

  void expect_one_of(const char* argument, const std::string& value,
                     const std::vector<std::string>& known) const {
    if (std::ranges::find(known, value) == known.end())
      fail(fmt::format("unknown {} \"{}\".", argument, value), did_you_mean(value, known));
  }

  static constexpr double smallest = 1e-6;  // lower bound of a sigma used as divisor
  nn::Range share_, scale_, values_;
};

const nn::RegisterLayer<RandomElasticTransformArgs> registered{"RandomElasticTransform",
                                                               RandomElasticTransform};

}  // namespace

LayerRef RandomElasticTransform(const RandomElasticTransformArgs& args,
                                std::source_location created) {
  return make_layer<RandomElasticTransformLayer>(args, created);
}

}  // namespace stoker::layers
