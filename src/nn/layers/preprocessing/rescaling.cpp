#include "stoker/layers/rescaling.h"

#include <algorithm>

#include "nn/layers/args_layer.h"
#include "stoker/ops/elementwise.h"

namespace stoker::layers {
namespace {

// A single number is written as a scalar, as in Keras.
template <class V>
void visit_channels(const char* key, PerChannel& field, V& v, nn::Presence presence) {
  Config config = field.values.size() == 1
                      ? Config(field.values[0])
                      : Config(Config::List(field.values.begin(), field.values.end()));
  v(key, config, presence);
  field.values.clear();
  if (config.is_number()) return field.values.push_back(config.as_double());
  for (const Config& item : config.as_list()) field.values.push_back(item.as_double());
}

}  // namespace

template <class V>
void visit(RescalingArgs& a, V& v) {
  visit_channels("scale", a.scale, v, nn::required);
  visit_channels("offset", a.offset, v, nn::optional);
  nn::visit_layer(a, v);
}

namespace {

class RescalingLayer : public nn::ArgsLayer<RescalingArgs> {
 public:
  RescalingLayer(const RescalingArgs& args, std::source_location created)
      : ArgsLayer("Rescaling", args, created) {
    supports_masking = true;
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    const Tensor scaled =
        ops::cast(x, compute_dtype()) * constant("scale", args_.scale.values, x.shape());
    const auto& offset = args_.offset.values;
    if (std::all_of(offset.begin(), offset.end(), [](double v) { return v == 0; })) return scaled;
    return scaled + constant("offset", offset, x.shape());
  }

 private:
  Tensor constant(const char* argument, const std::vector<double>& values,
                  const Shape& input) const {
    if (values.size() == 1) return Array::scalar(values[0]).astype(compute_dtype());
    const auto count = static_cast<int64_t>(values.size());
    if (input.rank() == 0 || input.back() != count)
      fail(fmt::format("has {} numbers as {}, got input {}.", count, argument, to_string(input)),
           "give one number, or one for each channel.");
    return Array::from(values, {count}).astype(compute_dtype());
  }
};

const nn::RegisterLayer<RescalingArgs> registered{"Rescaling", Rescaling};

}  // namespace

LayerRef Rescaling(const RescalingArgs& args, std::source_location created) {
  return make_layer<RescalingLayer>(args, created);
}

}  // namespace stoker::layers
