#include <algorithm>

#include "nn/functional.h"
#include "nn/layers/preprocessing/index_lookup.h"
#include "nn/layers/preprocessing/text_tokens.h"
#include "nn/training/inputs/input_uses.h"
#include "stoker/layers/text.h"
#include "stoker/ops/host_call.h"

namespace stoker::layers {

template <class V>
void visit(TextVectorizationArgs& a, V& v) {
  v("max_tokens", a.max_tokens);
  v("standardize", a.standardize);
  v("split", a.split);
  v("ngrams", a.ngrams);
  v("output_mode", a.output_mode);
  v("output_sequence_length", a.output_sequence_length);
  v("pad_to_max_tokens", a.pad_to_max_tokens);
  v.fixed("sparse", false);
  v.fixed("ragged", false);
  v("vocabulary", a.vocabulary);
  v("idf_weights", a.idf_weights);
  v("encoding", a.encoding);
  v("vocabulary_size", a.vocabulary_size);
  nn::visit_layer(a, v);
}

namespace {

// The inner StringLookup of Keras, which files contain, too.
LayerRef lookup_for(const TextVectorizationArgs& args) {
  return StringLookup({.max_tokens = args.max_tokens,
                       .mask_token = "",
                       .vocabulary = args.vocabulary,
                       .idf_weights = args.idf_weights,
                       .output_mode = args.output_mode,
                       .pad_to_max_tokens = args.pad_to_max_tokens,
                       .encoding = args.encoding,
                       .vocabulary_size = args.vocabulary_size});
}

class TextVectorizationLayer : public nn::ArgsLayer<TextVectorizationArgs>,
                               public nn::HasVocabulary,
                               public nn::Adaptable {
 public:
  TextVectorizationLayer(const TextVectorizationArgs& args, std::source_location created)
      : ArgsLayer("TextVectorization", args, created),
        on_host_([this](const std::vector<Array>& in) { return std::vector{vectorized(in[0])}; }) {
    tokenize_.standardize = choice("standardize", args.standardize,
                                   {"lower_and_strip_punctuation", "lower", "strip_punctuation"});
    tokenize_.split = choice("split", args.split, {"whitespace", "character"});
    read_ngrams();
    choice("output_mode", args.output_mode, {"int", "multi_hot", "count", "tf_idf"});
    if (!gives_indices() && args.output_sequence_length)
      fail("output_sequence_length goes with output_mode \"int\".");
    layer_ = lookup_for(args);
    lookup_ = dynamic_cast<Lookup*>(layer_.ptr().get());
  }
  std::vector<Sublayer> named_sublayers() const override { return {{"_lookup_layer", layer_}}; }

  Tensor call(const Tensor& x, const CallArgs&) override {
    nn::InputUses::report_strings(x);
    const Shape& shape = x.shape();
    if (shape.rank() != 1 && !(shape.rank() == 2 && shape[1] == 1))
      fail(fmt::format("expects texts (batch) or (batch, 1), got input {}.", to_string(shape)));
    if (!lookup_->has_vocabulary() && !(args_.vocabulary_size && nn::is_trial()))
      fail("has no vocabulary yet.", "give it as an argument, or call adapt().");
    if (gives_indices() && !args_.output_sequence_length)
      throw Unsupported(
          "[text_vectorization] needs output_sequence_length in a model: the shape "
          "of a step is fixed.");
    const TensorType type{gives_indices() ? DType::int64 : DType::float32, {shape[0], width()}};
    return ops::host_call({x}, {type}, on_host_)[0];
  }

  std::vector<std::string> vocabulary() const override { return lookup_->vocabulary(); }
  void set_vocabulary(const std::vector<std::string>& tokens,
                      const std::vector<double>& idf_weights) override {
    lookup_->set_vocabulary(tokens, idf_weights);
  }
  void learn_vocabulary(const std::vector<std::string>& texts) override {
    std::vector<nn::Document> documents;
    for (const auto& text : texts) documents.push_back(tokenize_(text));
    lookup_->learn(documents);
  }
  bool adapts_to_strings() const override { return true; }
  void adapt(const Array& data) override {
    std::vector<std::string> texts;
    for (const nn::Document& row : nn::texts_of_rows(data))
      texts.insert(texts.end(), row.begin(), row.end());
    learn_vocabulary(texts);
  }
  bool is_an_asset() const override { return lookup_->is_an_asset(); }
  void restore_vocabulary(const std::vector<std::string>& tokens) override {
    lookup_->restore_vocabulary(tokens);
  }
  Array idf_weights() const override { return lookup_->idf_weights(); }
  void restore_idf_weights(const Array& weights) override { lookup_->restore_idf_weights(weights); }
  Config get_config() const override {
    Config config = ArgsLayer::get_config();
    config["vocabulary_size"] = lookup_->size();
    return config;
  }

 private:
  using Lookup = nn::IndexLookup<StringLookupArgs>;
  bool gives_indices() const { return args_.output_mode == "int"; }
  int64_t width() const {
    return gives_indices() ? *args_.output_sequence_length : lookup_->depth();
  }

  std::optional<std::string> choice(const char* argument, const Config& value,
                                    const std::vector<std::string>& known) const {
    if (value.is_null()) return std::nullopt;
    if (!value.is_string() || std::ranges::find(known, value.as_string()) == known.end())
      throw Unsupported(
          fmt::format("[text_vectorization] {} {} is not supported.", argument, value.to_string()));
    return value.as_string();
  }

  void read_ngrams() {
    const Config& given = args_.ngrams;
    if (given.is_int())
      for (int64_t width = 1; width <= given.as_int(); ++width) tokenize_.ngrams.push_back(width);
    if (given.is_list())
      for (const Config& width : given.as_list()) tokenize_.ngrams.push_back(width.as_int());
    for (int64_t width : tokenize_.ngrams)
      if (width <= 0) fail(fmt::format("ngrams must be positive, got {}.", given.to_string()));
  }

  Array vectorized(const Array& ids) const {
    const auto texts = nn::texts_of_rows(ids);
    Array out(gives_indices() ? DType::int64 : DType::float32, {ids.length(), width()});
    for (size_t row = 0; row < texts.size(); ++row) {
      const auto tokens = tokenize_(texts[row].front());
      gives_indices() ? write_indices(tokens, out, row) : count(tokens, out, row);
    }
    return out;
  }

  template <class T>
  std::span<T> row_of(Array& out, size_t row) const {
    const auto length = static_cast<size_t>(width());
    return out.mutable_data<T>().subspan(row * length, length);
  }

  void write_indices(const std::vector<std::string>& tokens, Array& out, size_t row) const {
    const auto values = row_of<int64_t>(out, row);
    for (size_t i = 0; i < std::min(tokens.size(), values.size()); ++i)
      values[i] = lookup_->index_of(tokens[i]);
  }

  void count(const std::vector<std::string>& tokens, Array& out, size_t row) const {
    const auto values = row_of<float>(out, row);
    for (const auto& token : tokens) {
      if (token.empty()) continue;  // masked
      float& value = values[static_cast<size_t>(lookup_->index_of(token))];
      value = args_.output_mode == "multi_hot" ? 1 : value + 1;
    }
    if (args_.output_mode != "tf_idf") return;
    const Array weights = lookup_->idf_weights();
    for (size_t i = 0; i < values.size(); ++i) values[i] *= weights.data<float>()[i];
  }

  nn::Tokenizer tokenize_;
  LayerRef layer_;
  Lookup* lookup_;  // the same
  HostFunction on_host_;
};

const nn::RegisterLayer<TextVectorizationArgs> registered{"TextVectorization", TextVectorization};

}  // namespace

LayerRef TextVectorization(const TextVectorizationArgs& args, std::source_location created) {
  return make_layer<TextVectorizationLayer>(args, created);
}

}  // namespace stoker::layers
