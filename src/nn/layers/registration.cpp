#include "nn/layers/registration.h"

namespace stoker::nn {
namespace {

struct BaseArgs {
  bool trainable = true;
  std::optional<Shape> batch_input_shape = {};
};
template <class V>
void visit(BaseArgs& a, V& v) {
  v("trainable", a.trainable);
  v("batch_input_shape", a.batch_input_shape);
}

bool is_common(const std::string& key) { return key == "trainable" || key == "batch_input_shape"; }

}  // namespace

CommonArgs::CommonArgs(const Config& config, const std::string& class_name)
    : others(Config::map()) {
  Config common = Config::map();
  if (!config.is_null())
    for (const auto& [key, value] : config.as_map())
      (is_common(key) ? common : others)[key] = value;
  const auto args = read_args<BaseArgs>(common, class_name);
  trainable_ = args.trainable;
  batch_shape_ = args.batch_input_shape;
}

void CommonArgs::apply(Layer& layer) const {
  if (!trainable_) layer.freeze();
  if (batch_shape_ && batch_shape_->rank() > 0) layer.input_shape = batch_shape_->drop_front();
}

}  // namespace stoker::nn
