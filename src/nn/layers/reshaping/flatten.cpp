#include "nn/layers/args_layer.h"
#include "stoker/layers/reshaping.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(FlattenArgs& a, V& v) {
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

class FlattenLayer : public nn::ArgsLayer<FlattenArgs> {
 public:
  FlattenLayer(const FlattenArgs& args, std::source_location created)
      : ArgsLayer("Flatten", args, created) {
    auto& format = args_.data_format;
    if (format.empty()) format = "channels_last";  // a null in a config
    if (format != "channels_last" && format != "channels_first")
      fail(fmt::format("unknown data_format \"{}\".", format),
           "use \"channels_last\" or \"channels_first\".");
  }

  void build(const Shape& input) override {
    if (input.rank() < 1) fail("expects input (batch, …), got a scalar.");
  }
  Tensor call(const Tensor& x, const CallArgs&) override {
    return ops::reshape(with_channels_last(x), {x.shape()[0], x.shape().drop_front().size()});
  }

 private:
  Tensor with_channels_last(const Tensor& x) const {
    if (args_.data_format == "channels_last" || x.shape().rank() < 3) return x;
    std::vector<int64_t> order{0};
    for (int i = 2; i < x.shape().rank(); ++i) order.push_back(i);
    order.push_back(1);
    return ops::transpose(x, order);
  }
};

const nn::RegisterLayer<FlattenArgs> registered{"Flatten", Flatten};

}  // namespace

LayerRef Flatten(const FlattenArgs& args, std::source_location created) {
  return make_layer<FlattenLayer>(args, created);
}

}  // namespace stoker::layers
