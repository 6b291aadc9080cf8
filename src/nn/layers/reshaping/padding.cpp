#include "stoker/layers/padding.h"

#include "nn/layers/margins.h"
#include "nn/layers/spatial_layer.h"

namespace stoker::layers {

template <size_t n, class V>
void visit(ZeroPaddingArgs<n>& a, V& v) {
  nn::visit_margins("padding", a.padding, v);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}
template <size_t n, class V>
void visit(CroppingArgs<n>& a, V& v) {
  nn::visit_margins("cropping", a.cropping, v);
  if constexpr (n > 1) v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

// {before, after} for all axes of a channels_last input.
template <size_t n>
std::array<std::vector<int64_t>, 2> ends(const Margins<n>& margins) {
  std::array<std::vector<int64_t>, 2> both{std::vector<int64_t>(n + 2, 0),
                                           std::vector<int64_t>(n + 2, 0)};
  for (size_t i = 0; i < n; ++i)
    for (size_t end = 0; end < 2; ++end) both[end][i + 1] = margins.axes[i][end];
  return both;
}

template <class Args, size_t n>
class MarginLayer : public nn::SpatialLayer<Args, n> {
 public:
  using nn::SpatialLayer<Args, n>::SpatialLayer;

 protected:
  void expect_not_negative(const char* argument, const Margins<n>& margins) const {
    for (const auto& pair : margins.axes)
      for (int64_t amount : pair)
        if (amount < 0) this->fail(fmt::format("{} cannot be negative, got {}.", argument, amount));
  }
};

template <size_t n>
class ZeroPadding : public MarginLayer<ZeroPaddingArgs<n>, n> {
 public:
  ZeroPadding(const char* class_name, const ZeroPaddingArgs<n>& args, std::source_location created)
      : MarginLayer<ZeroPaddingArgs<n>, n>(class_name, args, created) {
    this->expect_not_negative("padding", args.padding);
  }

 protected:
  Tensor compute(const Tensor& x) override {
    const auto [before, after] = ends(this->args_.padding);
    return ops::pad(x, before, after);
  }
};

template <size_t n>
class Cropping : public MarginLayer<CroppingArgs<n>, n> {
 public:
  Cropping(const char* class_name, const CroppingArgs<n>& args, std::source_location created)
      : MarginLayer<CroppingArgs<n>, n>(class_name, args, created) {
    this->expect_not_negative("cropping", args.cropping);
  }

 protected:
  Tensor compute(const Tensor& x) override {
    const auto [before, after] = ends(this->args_.cropping);
    auto size = x.shape().dims();
    for (size_t i = 1; i <= n; ++i) {
      size[i] -= before[i] + after[i];
      if (size[i] <= 0)
        this->fail(fmt::format("cropping {} and {} leaves nothing of input {}.", before[i],
                               after[i], to_string(x.shape())));
    }
    return ops::slice(x, before, size);
  }
};

const nn::RegisterLayer<ZeroPadding1DArgs> zero_padding1d{"ZeroPadding1D", ZeroPadding1D};
const nn::RegisterLayer<ZeroPadding2DArgs> zero_padding2d{"ZeroPadding2D", ZeroPadding2D};
const nn::RegisterLayer<ZeroPadding3DArgs> zero_padding3d{"ZeroPadding3D", ZeroPadding3D};
const nn::RegisterLayer<Cropping1DArgs> cropping1d{"Cropping1D", Cropping1D};
const nn::RegisterLayer<Cropping2DArgs> cropping2d{"Cropping2D", Cropping2D};
const nn::RegisterLayer<Cropping3DArgs> cropping3d{"Cropping3D", Cropping3D};

}  // namespace

LayerRef ZeroPadding1D(const ZeroPadding1DArgs& args, std::source_location created) {
  return make_layer<ZeroPadding<1>>("ZeroPadding1D", args, created);
}
LayerRef ZeroPadding2D(const ZeroPadding2DArgs& args, std::source_location created) {
  return make_layer<ZeroPadding<2>>("ZeroPadding2D", args, created);
}
LayerRef ZeroPadding3D(const ZeroPadding3DArgs& args, std::source_location created) {
  return make_layer<ZeroPadding<3>>("ZeroPadding3D", args, created);
}
LayerRef Cropping1D(const Cropping1DArgs& args, std::source_location created) {
  return make_layer<Cropping<1>>("Cropping1D", args, created);
}
LayerRef Cropping2D(const Cropping2DArgs& args, std::source_location created) {
  return make_layer<Cropping<2>>("Cropping2D", args, created);
}
LayerRef Cropping3D(const Cropping3DArgs& args, std::source_location created) {
  return make_layer<Cropping<3>>("Cropping3D", args, created);
}

}  // namespace stoker::layers
