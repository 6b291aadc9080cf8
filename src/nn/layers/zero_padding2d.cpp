#include "nn/layers/image_layer.h"
#include "stoker/layers/reshaping.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {
namespace {

Padding2D::Pair pair_from(const Config& config) {
  if (config.is_int()) return {config.as_int(), config.as_int()};
  const auto& list = config.as_list();
  if (list.size() != 2)
    throw InvalidArgument(fmt::format("expected two numbers, got {}.", config.to_string()));
  return {list[0].as_int(), list[1].as_int()};
}

Padding2D padding_from(const Config& config) {
  if (config.is_int()) return config.as_int();
  const auto& list = config.as_list();
  if (list.size() != 2)
    throw InvalidArgument(
        fmt::format("[zero_padding2d] padding {} has not two elements.", config.to_string()),
        "write 1, [height, width] or [[top, bottom], [left, right]].");
  return {pair_from(list[0]), pair_from(list[1])};
}

Config config_of(const Padding2D& padding) {
  const auto list = [](const Padding2D::Pair& pair) {
    return Config(Config::List(pair.begin(), pair.end()));
  };
  return Config::List{list(padding.height), list(padding.width)};
}

}  // namespace

template <class V>
void visit(ZeroPadding2DArgs& a, V& v) {
  Config padding = config_of(a.padding);
  v("padding", padding);
  a.padding = padding_from(padding);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

class ZeroPadding2DLayer : public nn::ImageLayer<ZeroPadding2DArgs> {
 public:
  ZeroPadding2DLayer(const ZeroPadding2DArgs& args, std::source_location created)
      : ImageLayer("ZeroPadding2D", args, created) {
    for (const auto& pair : {args.padding.height, args.padding.width})
      for (int64_t amount : pair)
        if (amount < 0) fail(fmt::format("padding cannot be negative, got {}.", amount));
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    expect_images(x.shape());
    const auto& [height, width] = args_.padding;
    return ops::pad(x, {0, height[0], width[0], 0}, {0, height[1], width[1], 0});
  }
};

const nn::RegisterLayer<ZeroPadding2DArgs> registered{"ZeroPadding2D", ZeroPadding2D};

}  // namespace

LayerRef ZeroPadding2D(const ZeroPadding2DArgs& args, std::source_location created) {
  return make_layer<ZeroPadding2DLayer>(args, created);
}

}  // namespace stoker::layers
