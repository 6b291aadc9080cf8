#include "nn/layers/args_layer.h"
#include "nn/layers/preprocessing/encode_categories.h"
#include "stoker/layers/preprocessing.h"
#include "stoker/ops/elementwise.h"

namespace stoker::layers {

template <class V>
void visit(CategoryEncodingArgs& a, V& v) {
  v("num_tokens", a.num_tokens, nn::required);
  v("output_mode", a.output_mode);
  nn::visit_layer(a, v);
}

namespace {

class CategoryEncodingLayer : public nn::ArgsLayer<CategoryEncodingArgs> {
 public:
  CategoryEncodingLayer(const CategoryEncodingArgs& args, std::source_location created)
      : ArgsLayer("CategoryEncoding", args, created) {
    expect_positive("num_tokens", {args.num_tokens});
    std::string& mode = args_.output_mode;
    if (mode == "binary") mode = "multi_hot";
    if (mode != "one_hot" && mode != "multi_hot" && mode != "count")
      fail(fmt::format("output_mode must be one_hot, multi_hot or count, got \"{}\".", mode));
  }

  CallSignature call_signature() const override { return {{"inputs"}, {"count_weights"}}; }

  Tensor call(const Tensor& x, const CallArgs& args) override {
    const Tensor weights = args.tensor("count_weights");
    if (weights.defined() && args_.output_mode != "count")
      fail(fmt::format("takes count_weights with output_mode \"count\" only, not with \"{}\".",
                       args_.output_mode));
    const Tensor indices = is_integer(x.dtype()) ? x : ops::cast(x, DType::int64);
    return nn::encode_categories(indices, args_.output_mode, args_.num_tokens, compute_dtype(),
                                 weights);
  }
};

const nn::RegisterLayer<CategoryEncodingArgs> registered{"CategoryEncoding", CategoryEncoding};

}  // namespace

LayerRef CategoryEncoding(const CategoryEncodingArgs& args, std::source_location created) {
  return make_layer<CategoryEncodingLayer>(args, created);
}

}  // namespace stoker::layers
