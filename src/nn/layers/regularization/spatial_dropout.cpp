#include "graph/emit.h"
#include "nn/layers/random_layer.h"
#include "stoker/layers/noise.h"

namespace stoker::layers {

template <class V>
void visit(SpatialDropout1DArgs& a, V& v) {
  v("rate", a.rate, nn::required);
  v("seed", a.seed);
  nn::visit_layer(a, v);
}
template <class V>
void visit(SpatialDropoutArgs& a, V& v) {
  v("rate", a.rate, nn::required);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

template <class Args>
class SpatialDropoutLayer : public nn::RandomLayer<Args> {
 public:
  SpatialDropoutLayer(int dims, const Args& args, std::source_location created)
      : nn::RandomLayer<Args>(fmt::format("SpatialDropout{}D", dims).c_str(), args, created),
        rank_(dims + 2) {
    this->expect_share("rate", args.rate);
    this->supports_masking = true;
    if constexpr (requires { args.data_format; }) {
      const std::string format = args.data_format.value_or("channels_last");
      if (format != "channels_last" && format != "channels_first")
        this->fail(fmt::format(
            "data_format must be \"channels_last\" or \"channels_first\", got \"{}\".", format));
      channels_first_ = format == "channels_first";
      this->args_.data_format = format;
    }
  }

  Tensor call(const Tensor& x, const CallArgs& args) override {
    if (x.shape().rank() != rank_)
      this->fail(fmt::format("expects inputs of rank {}, got {}.", rank_, to_string(x.shape())));
    const double rate = this->args_.rate;
    if (!args.training || rate == 0) return x;
    Shape noise = x.shape();
    for (int i = 1; i < rank_; ++i)
      if (i != (channels_first_ ? 1 : rank_ - 1)) noise[i] = 1;
    const Tensor kept = ops::greater_equal(this->draws().uniform(noise), rate);
    return ops::where(kept, x * (1 / (1 - rate)), graph::scalar_like(x, 0));
  }

  // These Keras layers write neither trainable nor the complete dtype policy.
  Config get_config() const override {
    Config written = Config::map({{"dtype", std::string(name_of(this->variable_dtype()))}});
    const Config all = nn::RandomLayer<Args>::get_config();
    for (const auto& [key, value] : all.as_map())
      if (key != "trainable" && key != "dtype") written[key] = value;
    return written;
  }

 private:
  int rank_;
  bool channels_first_ = false;
};

const nn::RegisterLayer<SpatialDropout1DArgs> one{"SpatialDropout1D", SpatialDropout1D};
const nn::RegisterLayer<SpatialDropoutArgs> two{"SpatialDropout2D", SpatialDropout2D};
const nn::RegisterLayer<SpatialDropoutArgs> three{"SpatialDropout3D", SpatialDropout3D};

}  // namespace

LayerRef SpatialDropout1D(const SpatialDropout1DArgs& args, std::source_location created) {
  return make_layer<SpatialDropoutLayer<SpatialDropout1DArgs>>(1, args, created);
}
LayerRef SpatialDropout2D(const SpatialDropoutArgs& args, std::source_location created) {
  return make_layer<SpatialDropoutLayer<SpatialDropoutArgs>>(2, args, created);
}
LayerRef SpatialDropout3D(const SpatialDropoutArgs& args, std::source_location created) {
  return make_layer<SpatialDropoutLayer<SpatialDropoutArgs>>(3, args, created);
}

}  // namespace stoker::layers
