#include "nn/layers/preprocessing/text_tokens.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace stoker::nn {
namespace {

// ASCII only, independent of the locale, as in TensorFlow.
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_punctuation(char c) {
  return std::string_view("!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~'").find(c) != std::string_view::npos;
}
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (char c : text + " ") {
    if (!is_space(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

std::vector<std::string> characters_of(const std::string& text) {
  std::vector<std::string> characters;
  for (char c : text) {
    const bool goes_on = (static_cast<uint8_t>(c) & 0xc0) == 0x80;
    if (goes_on && !characters.empty())
      characters.back() += c;
    else
      characters.emplace_back(1, c);
  }
  return characters;
}

std::string joined(const std::vector<std::string>& tokens, size_t begin, size_t count) {
  std::string run = tokens[begin];
  for (size_t i = 1; i < count; ++i) run += " " + tokens[begin + i];
  return run;
}

}  // namespace

std::vector<std::string> Tokenizer::operator()(std::string text) const {
  const bool lowers = standardize && standardize->starts_with("lower");
  const bool strips = standardize && standardize->ends_with("strip_punctuation");
  if (lowers) std::ranges::transform(text, text.begin(), lower);
  if (strips) std::erase_if(text, is_punctuation);
  std::vector<std::string> tokens = !split                  ? std::vector{text}
                                    : *split == "character" ? characters_of(text)
                                                            : words_of(text);
  if (ngrams.empty()) return tokens;
  std::vector<std::string> runs;
  for (int64_t width : ngrams)
    for (size_t i = 0; i + static_cast<size_t>(width) <= tokens.size(); ++i)
      runs.push_back(joined(tokens, i, static_cast<size_t>(width)));
  return runs;
}

}  // namespace stoker::nn
