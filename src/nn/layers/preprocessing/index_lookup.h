#pragma once
#include <map>

#include "nn/layers/args_layer.h"
#include "nn/layers/preprocessing/adaptable.h"
#include "nn/layers/preprocessing/lookup_table.h"
#include "nn/layers/preprocessing/vocabulary.h"
#include "stoker/layers/lookup.h"

namespace stoker::layers {

template <class Args, class V>
void visit_lookup(Args& a, V& v) {
  v("invert", a.invert);
  v("max_tokens", a.max_tokens);
  v("num_oov_indices", a.num_oov_indices);
  v("oov_token", a.oov_token);
  v("mask_token", a.mask_token);
  v("output_mode", a.output_mode);
  v.fixed("sparse", false);
  v("pad_to_max_tokens", a.pad_to_max_tokens);
  v("idf_weights", a.idf_weights);
  v("vocabulary", a.vocabulary);
  v("vocabulary_size", a.vocabulary_size);
  nn::visit_layer(a, v);
}

template <class V>
void visit(IntegerLookupArgs& a, V& v) {
  v.fixed("vocabulary_dtype", "int64");
  v("oov_method", a.oov_method);
  v.fixed("salt", Config());
  visit_lookup(a, v);
}
template <class V>
void visit(StringLookupArgs& a, V& v) {
  v("encoding", a.encoding);
  v.fixed("oov_method", "floormod");
  v.fixed("salt", Config());
  visit_lookup(a, v);
}

}  // namespace stoker::layers

namespace stoker::nn {

// The common part of IntegerLookup and StringLookup, which differ in how a token becomes a key.
template <class Args>
class IndexLookup : public ArgsLayer<Args>, public HasVocabulary, public Adaptable {
 public:
  IndexLookup(const char* class_name, const Args& args, std::source_location created);
  Tensor call(const Tensor& x, const CallArgs& args) override;
  std::vector<std::string> vocabulary() const override;
  void set_vocabulary(const std::vector<std::string>& tokens,
                      const std::vector<double>& idf_weights) override;
  void learn_vocabulary(const std::vector<std::string>& documents) override;
  void learn(const std::vector<Document>& documents);
  bool is_an_asset() const override { return this->args_.vocabulary.is_null(); }
  void restore_vocabulary(const std::vector<std::string>& tokens) override;
  Array idf_weights() const override;
  void restore_idf_weights(const Array& weights) override;
  Config get_config() const override;

  bool has_vocabulary() const { return !tokens_.empty(); }
  // on the host, with one index for all unknown tokens
  int64_t index_of(const std::string& token) const;
  int64_t unknown_start() const {
    return !this->args_.mask_token.is_null() && gives_indices() ? 1 : 0;
  }
  int64_t token_start() const { return unknown_start() + this->args_.num_oov_indices; }
  int64_t size() const {
    return tokens_.empty() ? this->args_.vocabulary_size.value_or(token_start())
                           : token_start() + static_cast<int64_t>(tokens_.size());
  }
  // The row length in output modes other than "int".
  int64_t depth() const { return this->args_.pad_to_max_tokens ? *this->args_.max_tokens : size(); }

 protected:
  virtual int64_t key_of(const std::string& token) const = 0;
  // Indices of out-of-vocabulary keys if there are several such indices.
  virtual Tensor spread_unknown(const Tensor& keys, int64_t indices) const = 0;
  virtual bool integers() const = 0;
  void take_vocabulary_of_config();

 private:
  bool gives_indices() const { return this->args_.output_mode == "int"; }
  bool weighs() const { return this->args_.output_mode == "tf_idf"; }
  bool is_special(const std::string& token) const;
  void make_table();
  void take_weights(std::vector<double> of_tokens, bool with_specials);
  Tensor indices_of(const Tensor& keys) const;
  bool starts_with_specials(const std::vector<std::string>& given) const;

  std::vector<std::string> tokens_;
  std::map<std::string, int64_t> places_;
  std::vector<float> idf_weights_;  // one per index; empty until known
  LookupTable table_;
};

}  // namespace stoker::nn
