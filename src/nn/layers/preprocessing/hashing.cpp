#include <array>

#include "core/hash/fingerprint.h"
#include "core/hash/siphash.h"
#include "core/text/interned_strings.h"
#include "nn/layers/args_layer.h"
#include "nn/layers/preprocessing/encode_categories.h"
#include "nn/training/inputs/input_uses.h"
#include "stoker/layers/text.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/host_call.h"

namespace stoker::layers {

template <class V>
void visit(HashingArgs& a, V& v) {
  v("num_bins", a.num_bins, nn::required);
  v("salt", a.salt);
  v("mask_value", a.mask_value);
  v("output_mode", a.output_mode);
  v.fixed("sparse", false);
  nn::visit_layer(a, v);
}

namespace {

class HashingLayer : public nn::ArgsLayer<HashingArgs> {
 public:
  HashingLayer(const HashingArgs& args, std::source_location created)
      : ArgsLayer("Hashing", args, created),
        on_host_([this](const std::vector<Array>& in) { return std::vector{bins_of(in[0])}; }) {
    autocast = false;
    expect_positive("num_bins", {args.num_bins});
    const std::string& mode = args.output_mode;
    if (mode != "int" && mode != "one_hot" && mode != "multi_hot" && mode != "count")
      fail(fmt::format("output_mode must be int, one_hot, multi_hot or count, got \"{}\".", mode));
    if (args.salt.is_int()) args_.salt = Config::List{args.salt, args.salt};
    if (args_.salt.is_list() && args_.salt.as_list().size() != 2)
      fail(fmt::format("salt must be a number or two, got {}.", args.salt.to_string()));
    if (!args.dtype.defined() && mode == "int") set_dtype_policy("int64");
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    nn::InputUses::report_strings(x);
    const Tensor keys = ops::cast(x, DType::int64);
    const Tensor bins = ops::host_call({keys}, {{DType::int64, keys.shape()}}, on_host_)[0];
    const DType dtype = args_.output_mode == "int" ? variable_dtype() : compute_dtype();
    return nn::encode_categories(bins, args_.output_mode, args_.num_bins, dtype);
  }

 private:
  Array bins_of(const Array& keys) const {
    const bool masks = !args_.mask_value.is_null() && args_.num_bins > 1;
    const auto bins = static_cast<uint64_t>(args_.num_bins - (masks ? 1 : 0));
    Array out(DType::int64, keys.shape());
    for (size_t i = 0; i < static_cast<size_t>(keys.size()); ++i) {
      const int64_t key = keys.data<int64_t>()[i];
      const auto bin = static_cast<int64_t>(hash_of(key) % bins);
      out.mutable_data<int64_t>()[i] = !masks ? bin : is_mask(key) ? 0 : bin + 1;
    }
    return out;
  }

  // A string by its text, a number by its decimal digits.
  uint64_t hash_of(int64_t key) const {
    const auto text = text_of_id(key);
    const std::string hashed = text ? *text : std::to_string(key);
    if (args_.salt.is_null()) return fingerprint64(hashed);
    const auto& salt = args_.salt.as_list();
    return siphash(
        hashed, {static_cast<uint64_t>(salt[0].as_int()), static_cast<uint64_t>(salt[1].as_int())});
  }
  bool is_mask(int64_t key) const {
    const Config& mask = args_.mask_value;
    return key == (mask.is_string() ? static_cast<int64_t>(fingerprint64(mask.as_string()))
                                    : static_cast<int64_t>(mask.as_double()));
  }
  HostFunction on_host_;
};

const nn::RegisterLayer<HashingArgs> registered{"Hashing", Hashing};

}  // namespace

LayerRef Hashing(const HashingArgs& args, std::source_location created) {
  return make_layer<HashingLayer>(args, created);
}

}  // namespace stoker::layers
