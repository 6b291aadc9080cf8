#include "nn/layers/preprocessing/index_lookup.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/hash/fingerprint.h"
#include "nn/functional.h"
#include "nn/layers/preprocessing/encode_categories.h"
#include "nn/training/inputs/input_uses.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {
namespace {

std::string text_of(const Config& token) {
  return token.is_string() ? token.as_string() : std::to_string(token.as_int());
}

}  // namespace

template <class Args>
IndexLookup<Args>::IndexLookup(const char* class_name, const Args& args,
                               std::source_location created)
    : ArgsLayer<Args>(class_name, args, created) {
  std::string& mode = this->args_.output_mode;
  if (mode == "binary") mode = "multi_hot";
  if (mode == "tf-idf") mode = "tf_idf";
  static const std::vector<std::string> known{"int", "one_hot", "multi_hot", "count", "tf_idf"};
  if (std::ranges::find(known, mode) == known.end())
    this->fail(fmt::format("unknown output_mode \"{}\".", mode), did_you_mean(mode, known));
  if (args.max_tokens && *args.max_tokens <= 1)
    this->fail(fmt::format("max_tokens must be greater than 1, got {}.", *args.max_tokens));
  if (args.num_oov_indices < 0)
    this->fail(fmt::format("num_oov_indices must not be negative, got {}.", args.num_oov_indices));
  if (args.pad_to_max_tokens && !args.max_tokens) this->fail("pad_to_max_tokens needs max_tokens.");
  if (args.invert && mode != "int")
    this->fail(fmt::format("invert goes with output_mode \"int\", got \"{}\".", mode));
  if (!args.idf_weights.is_null() && mode != "tf_idf")
    this->fail(fmt::format("idf_weights go with output_mode \"tf_idf\", got \"{}\".", mode));
  if (mode == "tf_idf" && !args.vocabulary.is_null() && args.idf_weights.is_null())
    this->fail("needs idf_weights for the vocabulary with output_mode \"tf_idf\".");
  if (args.vocabulary.is_string())
    throw Unsupported(fmt::format("[{}] does not open the vocabulary file \"{}\".",
                                  to_snake_case(class_name), args.vocabulary.as_string()),
                      "give the tokens as a list.");
}

template <class Args>
void IndexLookup<Args>::take_vocabulary_of_config() {
  if (this->args_.vocabulary.is_null()) return;
  std::vector<std::string> given;
  for (const Config& token : this->args_.vocabulary.as_list()) given.push_back(text_of(token));
  std::vector<double> weights;
  if (weighs())
    for (const Config& weight : this->args_.idf_weights.as_list())
      weights.push_back(weight.as_double());
  set_vocabulary(given, weights);
}

template <class Args>
bool IndexLookup<Args>::starts_with_specials(const std::vector<std::string>& given) const {
  std::vector<std::string> specials;
  if (unknown_start() == 1) specials.push_back(text_of(this->args_.mask_token));
  if (this->args_.oov_token.is_null() && this->args_.num_oov_indices > 0) return false;
  for (int64_t i = 0; i < this->args_.num_oov_indices; ++i)
    specials.push_back(text_of(this->args_.oov_token));
  return given.size() >= specials.size() &&
         std::equal(specials.begin(), specials.end(), given.begin());
}

template <class Args>
void IndexLookup<Args>::set_vocabulary(const std::vector<std::string>& given,
                                       const std::vector<double>& idf_weights) {
  if (weighs() != !idf_weights.empty())
    this->fail(fmt::format("got {} idf_weights with output_mode \"{}\".", idf_weights.size(),
                           this->args_.output_mode),
               "they go with \"tf_idf\", one for each token.");
  if (weighs() && idf_weights.size() != given.size())
    this->fail(fmt::format("got {} idf_weights for a vocabulary of {}.", idf_weights.size(),
                           given.size()));
  restore_vocabulary(given);
  if (weighs()) take_weights(idf_weights, starts_with_specials(given));
}

template <class Args>
void IndexLookup<Args>::restore_vocabulary(const std::vector<std::string>& given) {
  if (given.empty()) this->fail("cannot have an empty vocabulary.");
  const auto skipped = starts_with_specials(given) ? token_start() : 0;
  tokens_.assign(given.begin() + skipped, given.end());
  if (this->args_.max_tokens && size() > *this->args_.max_tokens)
    this->fail(fmt::format("a vocabulary of {} is larger than max_tokens, {}.", size(),
                           *this->args_.max_tokens));
  make_table();
}

template <class Args>
bool IndexLookup<Args>::is_special(const std::string& token) const {
  const auto is = [&](const Config& special) {
    return !special.is_null() && text_of(special) == token;
  };
  return is(this->args_.mask_token) || is(this->args_.oov_token);
}

template <class Args>
void IndexLookup<Args>::learn_vocabulary(const std::vector<std::string>& tokens) {
  std::vector<Document> documents;
  for (const auto& token : tokens) documents.push_back({token});
  learn(documents);
}

template <class Args>
void IndexLookup<Args>::learn(const std::vector<Document>& documents) {
  if (!this->args_.vocabulary.is_null()) this->fail("was given its vocabulary: nothing to adapt.");
  std::vector<std::string> all;
  for (const Document& document : documents)
    for (const auto& token : document) all.push_back(token);
  auto sorted = by_frequency(all, integers());
  std::erase_if(sorted, [&](const std::string& token) { return is_special(token); });
  if (const auto most = this->args_.max_tokens)
    sorted.resize(std::min(sorted.size(), static_cast<size_t>(*most - token_start())));
  tokens_ = std::move(sorted);
  make_table();
  if (weighs()) take_weights(inverse_document_frequencies(tokens_, documents), false);
}

// Masked and unknown tokens get the average weight, padding gets 0.
template <class Args>
void IndexLookup<Args>::take_weights(std::vector<double> weights, bool with_specials) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!with_specials)
    weights.insert(weights.begin(), static_cast<size_t>(token_start()),
                   weights.empty() ? 0 : sum / static_cast<double>(weights.size()));
  weights.resize(static_cast<size_t>(depth()), 0);
  idf_weights_.assign(weights.begin(), weights.end());
}

template <class Args>
Array IndexLookup<Args>::idf_weights() const {
  if (!weighs() || (tokens_.empty() && !this->args_.vocabulary_size)) return Array::scalar(0.0F);
  std::vector<float> weights = idf_weights_;
  weights.resize(static_cast<size_t>(depth()), 0);
  return Array::from(weights, {depth()});
}

template <class Args>
void IndexLookup<Args>::restore_idf_weights(const Array& weights) {
  const Array floats = weights.astype(DType::float32);
  idf_weights_.assign(floats.data<float>().begin(), floats.data<float>().end());
}

template <class Args>
std::vector<std::string> IndexLookup<Args>::vocabulary() const {
  std::vector<std::string> all;
  const auto& args = this->args_;
  if (unknown_start() == 1) all.push_back(text_of(args.mask_token));
  for (int64_t i = 0; i < args.num_oov_indices; ++i)
    all.push_back(args.oov_token.is_null() ? "" : text_of(args.oov_token));
  all.insert(all.end(), tokens_.begin(), tokens_.end());
  return all;
}

template <class Args>
void IndexLookup<Args>::make_table() {
  std::vector<int64_t> keys, indices;
  places_.clear();
  for (const auto& token : tokens_) {
    const int64_t index = token_start() + static_cast<int64_t>(keys.size());
    if (!places_.emplace(token, index).second)
      this->fail(fmt::format("the vocabulary has \"{}\" more than once.", token));
    keys.push_back(key_of(token));
    indices.push_back(index);
  }
  table_ = this->args_.invert ? LookupTable(indices, keys) : LookupTable(keys, indices);
}

template <class Args>
int64_t IndexLookup<Args>::index_of(const std::string& token) const {
  const auto found = places_.find(token);
  if (found != places_.end()) return found->second;
  const Config& mask = this->args_.mask_token;
  return unknown_start() == 1 && token == text_of(mask) ? 0 : unknown_start();
}

template <class Args>
Tensor IndexLookup<Args>::indices_of(const Tensor& keys) const {
  const auto& args = this->args_;
  Tensor found = table_.find(keys, args.num_oov_indices == 1 ? unknown_start() : -1);
  if (args.num_oov_indices > 1) {
    const Tensor others = spread_unknown(keys, args.num_oov_indices);
    found = ops::where(ops::less(found, 0), others + static_cast<double>(unknown_start()), found);
  }
  if (args.mask_token.is_null()) return found;
  const Tensor masked = ops::equal(keys, Tensor(Array::scalar(key_of(text_of(args.mask_token)))));
  const int64_t nowhere = gives_indices() ? 0 : std::numeric_limits<int64_t>::max();
  return ops::where(masked, Tensor(Array::scalar(nowhere)), found);
}

template <class Args>
Tensor IndexLookup<Args>::call(const Tensor& x, const CallArgs&) {
  const auto& args = this->args_;
  if (tokens_.empty() && !(args.vocabulary_size && is_trial()))
    this->fail("has no vocabulary yet.", "give it as an argument, or call adapt().");
  if (!integers()) InputUses::report_strings(x);
  const Tensor keys = ops::cast(x, DType::int64);
  if (args.invert) {
    const Tensor tokens = table_.find(keys, key_of(text_of(args.oov_token)));
    if (args.mask_token.is_null()) return tokens;
    return ops::where(ops::equal(keys, Tensor(Array::scalar(int64_t{0}))),
                      Tensor(Array::scalar(key_of(text_of(args.mask_token)))), tokens);
  }
  const Tensor indices = indices_of(keys);
  if (gives_indices()) return indices;
  const Tensor encoded =
      encode_categories(indices, weighs() ? "count" : args.output_mode, depth(), DType::float32);
  if (!weighs()) return encoded;
  if (idf_weights_.empty() && !is_trial())
    this->fail("has no idf_weights yet.", "give them with the vocabulary, or call adapt().");
  return encoded * Tensor(idf_weights());
}

template <class Args>
Config IndexLookup<Args>::get_config() const {
  Config config = ArgsLayer<Args>::get_config();
  if (!tokens_.empty()) config["vocabulary_size"] = size();
  return config;
}

template class IndexLookup<layers::IntegerLookupArgs>;
template class IndexLookup<layers::StringLookupArgs>;

}  // namespace stoker::nn
