#include "nn/layers/args_layer.h"
#include "nn/layers/preprocessing/encode_categories.h"
#include "nn/training/inputs/input_uses.h"
#include "stoker/layers/text.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/host_call.h"

namespace stoker::layers {

template <class V>
void visit(HashedCrossingArgs& a, V& v) {
  v("num_bins", a.num_bins, nn::required);
  v("output_mode", a.output_mode);
  v.fixed("sparse", false);
  nn::visit_layer(a, v);
}

namespace {

// TensorFlow's combination of two fingerprints, with its constants.
constexpr uint64_t first_hash = 0xDECAFCAFFE, factor = 0xc6a4a7935bd1e995ULL;
uint64_t mixed(uint64_t value) { return value ^ (value >> 47); }
uint64_t joined(uint64_t one, uint64_t other) {
  const uint64_t both = (one ^ factor ^ (mixed(other * factor) * factor)) * factor;
  return mixed(mixed(both) * factor);
}

class HashedCrossingLayer : public nn::ArgsLayer<HashedCrossingArgs> {
 public:
  HashedCrossingLayer(const HashedCrossingArgs& args, std::source_location created)
      : ArgsLayer("HashedCrossing", args, created),
        on_host_([this](const std::vector<Array>& in) { return std::vector{bins_of(in)}; }) {
    autocast = false;
    expect_positive("num_bins", {args.num_bins});
    const std::string& mode = args.output_mode;
    if (mode != "int" && mode != "one_hot")
      fail(fmt::format("output_mode must be int or one_hot, got \"{}\".", mode));
    if (!args.dtype.defined() && mode == "int") set_dtype_policy("int64");
  }

  void build_all(const std::vector<Shape>& inputs) override {
    if (inputs.size() < 2) fail(fmt::format("takes at least two inputs, got {}.", inputs.size()));
    for (const Shape& shape : inputs) {
      if (shape.rank() > 2 || (shape.rank() == 2 && shape.back() != 1))
        fail(fmt::format("expects inputs (batch) or (batch, 1), got {}.", to_string(shape)));
      if (shape != inputs[0])
        fail(fmt::format("expects inputs of one shape, got {} and {}.", to_string(inputs[0]),
                         to_string(shape)));
    }
  }

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs&) override {
    std::vector<Tensor> keys;
    for (const Tensor& input : inputs) {
      if (is_floating(input.dtype()))
        fail(fmt::format("expects integers or texts, got {}.", name_of(input.dtype())));
      nn::InputUses::report_strings(input);
      keys.push_back(ops::cast(input, DType::int64));
    }
    const Tensor bins = ops::host_call(keys, {{DType::int64, keys[0].shape()}}, on_host_)[0];
    const DType dtype = args_.output_mode == "int" ? variable_dtype() : compute_dtype();
    return {nn::encode_categories(bins, args_.output_mode, args_.num_bins, dtype)};
  }

  // Keras writes only the name of the dtype, and not trainable.
  Config get_config() const override {
    Config config = nn::write_args(args_);
    config["name"] = name();
    config["dtype"] = dtype_policy().name();
    return config;
  }

 private:
  // A string is given by its fingerprint, which is what TensorFlow crosses.
  Array bins_of(const std::vector<Array>& keys) const {
    Array out(DType::int64, keys[0].shape());
    for (size_t i = 0; i < static_cast<size_t>(out.size()); ++i) {
      uint64_t hash = first_hash;
      for (const Array& feature : keys)
        hash = joined(hash, static_cast<uint64_t>(feature.data<int64_t>()[i]));
      out.mutable_data<int64_t>()[i] =
          static_cast<int64_t>(hash % static_cast<uint64_t>(args_.num_bins));
    }
    return out;
  }
  HostFunction on_host_;
};

const nn::RegisterLayer<HashedCrossingArgs> registered{"HashedCrossing", HashedCrossing};

}  // namespace

LayerRef HashedCrossing(const HashedCrossingArgs& args, std::source_location created) {
  return make_layer<HashedCrossingLayer>(args, created);
}

}  // namespace stoker::layers
