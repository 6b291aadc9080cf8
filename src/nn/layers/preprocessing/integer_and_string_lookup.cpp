#include "core/hash/fingerprint.h"
#include "nn/layers/preprocessing/index_lookup.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/host_call.h"

namespace stoker::layers {

namespace {

class IntegerLookupLayer : public nn::IndexLookup<IntegerLookupArgs> {
 public:
  IntegerLookupLayer(const IntegerLookupArgs& args, std::source_location created)
      : IndexLookup("IntegerLookup", args, created) {
    if (args.oov_method != "floormod")
      throw Unsupported(
          fmt::format("[integer_lookup] oov_method \"{}\" is not supported.", args.oov_method),
          "use \"floormod\".");
    take_vocabulary_of_config();
  }

  void adapt(const Array& data) override {
    const Array integers = data.astype(DType::int64);
    const int64_t rows = data.shape().rank() == 0 ? 1 : data.length();
    std::vector<nn::Document> documents(static_cast<size_t>(rows));
    for (int64_t i = 0; i < data.size(); ++i)
      documents[static_cast<size_t>(i * rows / data.size())].push_back(
          std::to_string(integers.data<int64_t>()[static_cast<size_t>(i)]));
    learn(documents);
  }

 private:
  int64_t key_of(const std::string& token) const override { return std::stoll(token); }
  bool integers() const override { return true; }
  Tensor spread_unknown(const Tensor& keys, int64_t indices) const override {
    const auto count = static_cast<double>(indices);
    const Tensor exact = ops::cast(keys, DType::float64);
    return ops::cast(exact - ops::floor(exact / count) * count, DType::int64);
  }
};

class StringLookupLayer : public nn::IndexLookup<StringLookupArgs> {
 public:
  StringLookupLayer(const StringLookupArgs& args, std::source_location created)
      : IndexLookup("StringLookup", args, created) {
    if (args.invert)
      throw Unsupported("[string_lookup] invert is not supported: a tensor cannot hold strings.");
    take_vocabulary_of_config();
  }

  void adapt(const Array& data) override { learn(nn::texts_of_rows(data)); }
  bool adapts_to_strings() const override { return true; }

 private:
  int64_t key_of(const std::string& token) const override {
    return static_cast<int64_t>(fingerprint64(token));
  }
  bool integers() const override { return false; }
  // Remainders of unsigned numbers, which devices do not support.
  Tensor spread_unknown(const Tensor& keys, int64_t) const override {
    return ops::host_call({keys}, {keys.type()}, remainders_)[0];
  }
  HostFunction remainders_{[this](const std::vector<Array>& in) {
    Array out(DType::int64, in[0].shape());
    for (size_t i = 0; i < static_cast<size_t>(out.size()); ++i)
      out.mutable_data<int64_t>()[i] =
          static_cast<int64_t>(static_cast<uint64_t>(in[0].data<int64_t>()[i]) %
                               static_cast<uint64_t>(args_.num_oov_indices));
    return std::vector{out};
  }};
};

const nn::RegisterLayer<IntegerLookupArgs> integer{"IntegerLookup", IntegerLookup};
const nn::RegisterLayer<StringLookupArgs> string{"StringLookup", StringLookup};

}  // namespace

LayerRef IntegerLookup(const IntegerLookupArgs& args, std::source_location created) {
  return make_layer<IntegerLookupLayer>(args, created);
}
LayerRef StringLookup(const StringLookupArgs& args, std::source_location created) {
  return make_layer<StringLookupLayer>(args, created);
}

}  // namespace stoker::layers
