#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/text_table.h"
#include "nn/functional.h"
#include "nn/layers/args_layer.h"
#include "nn/layers/text_tokens.h"
#include "nn/layers/vocabulary.h"
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

class TextVectorizationLayer : public nn::ArgsLayer<TextVectorizationArgs>,
                               public nn::HasVocabulary {
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
    if (args.output_mode == "tf_idf" && args.idf_weights.is_null())
      fail("needs idf_weights for output_mode \"tf_idf\".");
    if (args.pad_to_max_tokens && !args.max_tokens) fail("pad_to_max_tokens needs max_tokens.");
    if (args.vocabulary.is_null()) return;
    std::vector<std::string> tokens;
    for (const Config& token : args.vocabulary.as_list()) tokens.push_back(token.as_string());
    set_vocabulary(tokens);
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    const Shape& shape = x.shape();
    if (shape.rank() != 1 && !(shape.rank() == 2 && shape[1] == 1))
      fail(fmt::format("expects texts (batch) or (batch, 1), got input {}.", to_string(shape)));
    if (tokens_.empty() && !(args_.vocabulary_size && nn::is_trial()))
      fail("has no vocabulary yet.", "give it as an argument, or call adapt().");
    if (gives_indices() && !args_.output_sequence_length)
      throw Unsupported(
          "[text_vectorization] needs output_sequence_length in a model: the shape "
          "of a step is fixed.");
    const int64_t width = gives_indices() ? *args_.output_sequence_length : depth();
    const TensorType type{gives_indices() ? DType::int64 : DType::float32, {shape[0], width}};
    return ops::host_call({x}, {type}, on_host_)[0];
  }

  std::vector<std::string> vocabulary() const override {
    std::vector<std::string> all;
    if (gives_indices()) all.emplace_back();
    all.emplace_back("[UNK]");
    all.insert(all.end(), tokens_.begin(), tokens_.end());
    return all;
  }
  void set_vocabulary(const std::vector<std::string>& given) override {
    const std::vector<std::string> specials =
        gives_indices() ? std::vector<std::string>{"", "[UNK]"} : std::vector<std::string>{"[UNK]"};
    specials_given_ = given.size() >= specials.size() &&
                      std::equal(specials.begin(), specials.end(), given.begin());
    take({given.begin() + (specials_given_ ? start() : 0), given.end()});
  }
  void learn_vocabulary(const std::vector<std::string>& texts) override {
    if (!args_.vocabulary.is_null()) fail("was given its vocabulary: nothing to adapt.");
    std::vector<std::string> all;
    for (const auto& text : texts)
      for (auto& token : tokenize_(text)) all.push_back(std::move(token));
    auto sorted = nn::by_frequency(all, false);
    std::erase_if(sorted, [](const auto& t) { return t.empty() || t == "[UNK]"; });
    if (args_.max_tokens)
      sorted.resize(std::min(sorted.size(), static_cast<size_t>(*args_.max_tokens - start())));
    take(std::move(sorted));
  }
  bool is_an_asset() const override { return args_.vocabulary.is_null(); }
  Config get_config() const override {
    Config config = ArgsLayer::get_config();
    config["vocabulary_size"] = size();
    return config;
  }

 private:
  bool gives_indices() const { return args_.output_mode == "int"; }
  int64_t start() const { return gives_indices() ? 2 : 1; }
  int64_t size() const {
    return tokens_.empty() ? args_.vocabulary_size.value_or(start())
                           : start() + static_cast<int64_t>(tokens_.size());
  }
  int64_t depth() const { return args_.pad_to_max_tokens ? *args_.max_tokens : size(); }

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

  void take(std::vector<std::string> tokens) {
    tokens_ = std::move(tokens);
    places_.clear();
    for (size_t i = 0; i < tokens_.size(); ++i)
      if (!places_.emplace(tokens_[i], start() + static_cast<int64_t>(i)).second)
        fail(fmt::format("the vocabulary has \"{}\" more than once.", tokens_[i]));
  }

  Array vectorized(const Array& ids) const {
    const int64_t rows = ids.length();
    const int64_t width = gives_indices() ? *args_.output_sequence_length : depth();
    Array out(gives_indices() ? DType::int64 : DType::float32, {rows, width});
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t id = ids.data<int64_t>()[static_cast<size_t>(row)];
      const auto text = text_of_id(id);
      if (!text) fail(fmt::format("{} is the id of no text that was read.", id));
      const auto tokens = tokenize_(*text);
      gives_indices() ? write_indices(tokens, out, row) : count(tokens, out, row);
    }
    return out;
  }

  int64_t place_of(const std::string& token) const {
    const auto found = places_.find(token);
    if (found != places_.end()) return found->second;
    return token.empty() && gives_indices() ? 0 : start() - 1;
  }

  void write_indices(const std::vector<std::string>& tokens, Array& out, int64_t row) const {
    const int64_t width = out.shape()[1];
    auto values = out.mutable_data<int64_t>().subspan(static_cast<size_t>(row * width));
    for (size_t i = 0; i < std::min(tokens.size(), static_cast<size_t>(width)); ++i)
      values[i] = place_of(tokens[i]);
  }

  void count(const std::vector<std::string>& tokens, Array& out, int64_t row) const {
    const int64_t width = out.shape()[1];
    auto values = out.mutable_data<float>().subspan(static_cast<size_t>(row * width));
    for (const auto& token : tokens) {
      if (token.empty()) continue;  // masked
      float& value = values[static_cast<size_t>(place_of(token))];
      value = args_.output_mode == "multi_hot" ? 1 : value + 1;
    }
    if (args_.output_mode != "tf_idf") return;
    const auto weights = idf_weights();
    for (size_t i = 0; i < static_cast<size_t>(width); ++i)
      values[i] *= i < weights.size() ? weights[i] : 0;
  }

  // What is unknown has the average weight.
  std::vector<float> idf_weights() const {
    std::vector<float> weights;
    for (const Config& weight : args_.idf_weights.as_list())
      weights.push_back(static_cast<float>(weight.as_double()));
    const float sum = std::accumulate(weights.begin(), weights.end(), 0.0F);
    if (!specials_given_)
      weights.insert(weights.begin(), static_cast<size_t>(start()),
                     sum / static_cast<float>(weights.size()));
    return weights;
  }

  nn::Tokenizer tokenize_;
  std::vector<std::string> tokens_;
  std::map<std::string, int64_t> places_;
  bool specials_given_ = false;
  HostFunction on_host_;
};

const nn::RegisterLayer<TextVectorizationArgs> registered{"TextVectorization", TextVectorization};

}  // namespace

LayerRef TextVectorization(const TextVectorizationArgs& args, std::source_location created) {
  return make_layer<TextVectorizationLayer>(args, created);
}

}  // namespace stoker::layers
