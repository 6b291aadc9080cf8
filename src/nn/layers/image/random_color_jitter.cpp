#include "nn/layers/args_layer.h"
#include "stoker/layers/image.h"
#include "stoker/ops/elementwise.h"

namespace stoker::layers {

template <class V>
void visit(RandomColorJitterArgs& a, V& v) {
  v("value_range", a.value_range);
  v("brightness_factor", a.brightness_factor);
  v("contrast_factor", a.contrast_factor);
  v("saturation_factor", a.saturation_factor);
  v("hue_factor", a.hue_factor);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

// Applies the random colour layers one after the other.
class RandomColorJitterLayer : public nn::ArgsLayer<RandomColorJitterArgs> {
 public:
  RandomColorJitterLayer(const RandomColorJitterArgs& args, std::source_location created)
      : ArgsLayer("RandomColorJitter", args, created) {
    if (!args_.data_format) args_.data_format = "channels_last";
    add("random_brightness", args.brightness_factor, RandomBrightness);
    add("random_contrast", args.contrast_factor, RandomContrast);
    add("random_saturation", args.saturation_factor, RandomSaturation);
    add("random_hue", args.hue_factor, RandomHue);
  }

  Tensor call(const Tensor& x, const CallArgs& args) override {
    Tensor y = ops::cast(x, compute_dtype());
    for (const Sublayer& part : parts_) y = part.layer->apply({y}, {.training = args.training})[0];
    return y;
  }
  std::vector<Sublayer> named_sublayers() const override { return parts_; }

 private:
  void add(const char* attribute, const Config& factor,
           LayerRef (*make)(const RandomColorArgs&, std::source_location)) {
    if (factor.is_null()) return;
    RandomColorArgs args{.factor = factor, .value_range = args_.value_range};
    // Layers must not draw the same random numbers for one seed.
    if (args_.seed)
      args.seed = static_cast<int64_t>(static_cast<uint64_t>(*args_.seed) + parts_.size());
    args.data_format = args_.data_format;
    args.dtype = dtype_policy();
    parts_.push_back({attribute, make(args, created())});
  }
  std::vector<Sublayer> parts_;
};

const nn::RegisterLayer<RandomColorJitterArgs> registered{"RandomColorJitter", RandomColorJitter};

}  // namespace

LayerRef RandomColorJitter(const RandomColorJitterArgs& args, std::source_location created) {
  return make_layer<RandomColorJitterLayer>(args, created);
}

}  // namespace stoker::layers
