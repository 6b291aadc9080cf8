#include "nn/layers/args_layer.h"
#include "nn/layers/preprocessing/adaptable.h"
#include "nn/layers/preprocessing/encode_categories.h"
#include "nn/layers/preprocessing/quantile_bins.h"
#include "stoker/layers/preprocessing.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(DiscretizationArgs& a, V& v) {
  v("bin_boundaries", a.bin_boundaries);
  v("num_bins", a.num_bins);
  v("epsilon", a.epsilon);
  v("output_mode", a.output_mode);
  v.fixed("sparse", false);
  nn::visit_layer(a, v);
}

namespace {

class DiscretizationLayer : public nn::ArgsLayer<DiscretizationArgs>, public nn::Adaptable {
 public:
  DiscretizationLayer(const DiscretizationArgs& args, std::source_location created)
      : ArgsLayer("Discretization", args, created) {
    if (!args.bin_boundaries && !args.num_bins) fail("needs bin_boundaries or num_bins.");
    if (args.num_bins && *args.num_bins < 0)
      fail(fmt::format("num_bins must not be negative, got {}.", *args.num_bins));
    const std::string& mode = args.output_mode;
    if (mode != "int" && mode != "one_hot" && mode != "multi_hot" && mode != "count")
      fail(fmt::format("output_mode must be int, one_hot, multi_hot or count, got \"{}\".", mode));
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    if (!args_.bin_boundaries)
      fail("has no boundaries yet.", "give bin_boundaries, or call adapt().");
    const auto count = static_cast<int64_t>(args_.bin_boundaries->size());
    Tensor indices = ops::fill(x.shape(), 0, DType::int32);
    if (count > 0) {
      const Tensor boundaries = Array::from(*args_.bin_boundaries, {count}).astype(DType::float32);
      const Tensor value = ops::expand_dims(ops::cast(x, DType::float32), -1);
      const Tensor above = ops::cast(ops::greater_equal(value, boundaries), DType::float32);
      indices = ops::cast(ops::sum(above, {.axis = {-1}}), DType::int32);
    }
    const DType dtype = args_.output_mode == "int" ? DType::int32 : compute_dtype();
    return nn::encode_categories(indices, args_.output_mode, count + 1, dtype);
  }

  void adapt(const Array& data) override {
    if (!args_.num_bins) fail("was given bin_boundaries: nothing to adapt.");
    const Array floats = data.astype(DType::float32);
    const auto values = floats.data<float>();
    args_.bin_boundaries =
        nn::quantile_bins({values.begin(), values.end()}, *args_.num_bins, args_.epsilon);
  }

  // Keras writes neither trainable nor the complete dtype policy here.
  Config get_config() const override {
    Config written = nn::write_args(args_);
    written["name"] = name();
    written["dtype"] = std::string(name_of(variable_dtype()));
    return written;
  }
};

const nn::RegisterLayer<DiscretizationArgs> registered{"Discretization", Discretization};

}  // namespace

LayerRef Discretization(const DiscretizationArgs& args, std::source_location created) {
  return make_layer<DiscretizationLayer>(args, created);
}

}  // namespace stoker::layers
