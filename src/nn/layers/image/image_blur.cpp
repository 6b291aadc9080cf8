#include "nn/layers/image/image_blur.h"

#include "nn/layers/image/random_image_layer.h"
#include "stoker/layers/image.h"
#include "stoker/ops/shape_ops.h"

namespace stoker {
namespace nn {

Tensor weigh_neighbours(const Tensor& images, int64_t axis, const std::vector<Tensor>& weights) {
  const auto reach = static_cast<int64_t>(weights.size() / 2);
  std::vector<int64_t> border(4, 0);
  border[static_cast<size_t>(axis)] = reach;
  const Tensor padded = ops::pad(images, border, border);
  Tensor sum;
  for (size_t i = 0; i < weights.size(); ++i) {
    std::vector<int64_t> start(4, 0);
    start[static_cast<size_t>(axis)] = static_cast<int64_t>(i);
    const Tensor moved = ops::slice(padded, start, images.shape().dims()) * weights[i];
    sum = sum.defined() ? sum + moved : moved;
  }
  return sum;
}

}  // namespace nn

namespace layers {

template <class V>
void visit(RandomGaussianBlurArgs& a, V& v) {
  v("factor", a.factor);
  v("kernel_size", a.kernel_size);
  v("sigma", a.sigma);
  v("value_range", a.value_range);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

class RandomGaussianBlurLayer : public nn::RandomImageLayer<RandomGaussianBlurArgs> {
 public:
  RandomGaussianBlurLayer(const RandomGaussianBlurArgs& args, std::source_location created)
      : RandomImageLayer("RandomGaussianBlur", args, created),
        share_(range_of("factor", args.factor, {0, 1})),
        sigma_(range_of("sigma", args.sigma, {0, 1})),
        values_(range_of("value_range", args.value_range, {-1e30, 1e30})) {
    args_.factor = config_of(share_);
    args_.sigma = config_of(sigma_);
    for (int64_t size : args.kernel_size)
      if (size <= 0 || size % 2 == 0)
        fail(fmt::format("kernel_size must be odd, got ({}, {}).", args.kernel_size[0],
                         args.kernel_size[1]));
  }

 private:
  Tensor transform(const Tensor& images, nn::Draws& random) override {
    const Shape one_each{images.shape()[0], 1, 1, 1};
    const Tensor share = random.uniform(one_each, share_.low, share_.high);
    const Tensor chosen = ops::less(random.uniform(one_each), share);
    const auto bell = [&](int64_t size) {
      const Tensor sigma = random.uniform_for_all({1, 1, 1, 1}, sigma_.low, sigma_.high) + 1e-6;
      return weights(sigma, size, images.dtype());
    };
    const auto across = bell(args_.kernel_size[0]), down = bell(args_.kernel_size[1]);
    const Tensor blurred = nn::weigh_neighbours(nn::weigh_neighbours(images, 2, across), 1, down);
    return ops::clip(ops::where(chosen, blurred, images), values_.low, values_.high);
  }

  static std::vector<Tensor> weights(const Tensor& sigma, int64_t size, DType dtype) {
    std::vector<Tensor> parts;
    Tensor sum;
    for (int64_t i = 0; i < size; ++i) {
      const double distance = static_cast<double>(i) - static_cast<double>(size - 1) / 2;
      parts.push_back(ops::exp(ops::square(distance / sigma) * -0.5));
      sum = sum.defined() ? sum + parts.back() : parts.back();
    }
    for (Tensor& part : parts) part = ops::cast(part / sum, dtype);
    return parts;
  }
  nn::Range share_, sigma_, values_;
};

const nn::RegisterLayer<RandomGaussianBlurArgs> registered{"RandomGaussianBlur",
                                                           RandomGaussianBlur};

}  // namespace

LayerRef RandomGaussianBlur(const RandomGaussianBlurArgs& args, std::source_location created) {
  return make_layer<RandomGaussianBlurLayer>(args, created);
}

}  // namespace layers
}  // namespace stoker
