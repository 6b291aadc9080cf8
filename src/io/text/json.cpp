#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "io/text/json_string.h"
#include "io/text/text_place.h"
#include "stoker/io.h"

namespace stoker {
namespace {

constexpr size_t deepest = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// JSON, and Python's NaN, Infinity and -Infinity.
class JsonParser {
 public:
  JsonParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Config parse() {
    Config document = value(0);
    skip_space();
    if (at_ < text_.size()) fail("something follows the end of the document");
    return document;
  }

 private:
  Config value(size_t depth) {
    skip_space();
    switch (peek()) {
      case '{':
        return object(deeper(depth));
      case '[':
        return array(deeper(depth));
      case '"':
        return string();
      case 't':
        return word("true", true);
      case 'f':
        return word("false", false);
      case 'n':
        return word("null", Config());
      case 'N':
        return word("NaN", std::numeric_limits<double>::quiet_NaN());
      case 'I':
        return word("Infinity", std::numeric_limits<double>::infinity());
      default:
        return number();
    }
  }

  Config object(size_t depth) {
    Config::Map map;
    std::set<std::string> keys;
    for (bool more = !close('}'); more; more = next('}')) {
      skip_space();
      if (peek() != '"') fail("a key in quotes should be here");
      std::string key = string();
      if (!keys.insert(key).second) refuse(fmt::format("the key {:?} occurs twice.", key), at_ - 1);
      skip_space();
      expect(':');
      map.emplace_back(std::move(key), value(depth));
    }
    return Config::map(std::move(map));
  }

  Config array(size_t depth) {
    Config::List list;
    for (bool more = !close(']'); more; more = next(']')) list.push_back(value(depth));
    return list;
  }

  // After the opening bracket: is it empty?
  bool close(char bracket) {
    ++at_;
    skip_space();
    if (peek() != bracket) return false;
    ++at_;
    return true;
  }

  // After an item: does another one follow?
  bool next(char bracket) {
    skip_space();
    if (peek() != ',') return expect(bracket), false;
    ++at_;
    return true;
  }

  Config word(std::string_view spelled, Config meaning) {
    if (!text_.substr(at_).starts_with(spelled)) fail("this is not a value");
    at_ += spelled.size();
    return meaning;
  }

  Config number() {
    const size_t start = at_;
    if (peek() == '-') ++at_;
    if (peek() == 'I') return word("Infinity", -std::numeric_limits<double>::infinity());
    if (!is_digit(peek())) fail("a value is expected here");
    if (peek() == '0')
      ++at_;
    else
      digits();
    const size_t whole = at_;
    if (peek() == '.') ++at_, digits();
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      digits();
    }
    const std::string_view spelled = text_.substr(start, at_ - start);
    return at_ == whole ? integer(spelled) : floating(spelled);
  }

  void digits() {
    if (!is_digit(peek())) fail("a digit is expected here");
    while (is_digit(peek())) ++at_;
  }

  Config integer(std::string_view spelled) const {
    int64_t number = 0;
    const auto [stop, error] =
        std::from_chars(spelled.data(), spelled.data() + spelled.size(), number);
    if (error == std::errc()) return number;
    refuse(fmt::format("{} does not fit into 64 bits with a sign.", spelled.substr(0, 40)),
           at_ - 1);
  }

  Config floating(std::string_view spelled) const {
    double number = 0;
    const auto [stop, error] =
        std::from_chars(spelled.data(), spelled.data() + spelled.size(), number);
    // Underflow is zero, as in Python; strtod distinguishes it from overflow.
    if (error != std::errc()) number = std::strtod(std::string(spelled).c_str(), nullptr);
    if (std::isfinite(number)) return number;
    refuse(fmt::format("{} is too large a number.", spelled.substr(0, 40)), at_ - 1);
  }

  std::string string() {
    JsonString scanner(text_, at_);
    std::string content;
    if (const char* trouble = scanner.read(content)) {
      at_ = scanner.at();
      fail(trouble);
    }
    at_ = scanner.at();
    return content;
  }

  size_t deeper(size_t depth) const {
    if (depth == deepest) refuse(fmt::format("nested deeper than {} levels.", deepest), at_);
    return depth + 1;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  void expect(char wanted) {
    if (peek() != wanted) fail(fmt::format("'{}' should be here", wanted));
    ++at_;
  }

  [[noreturn]] void fail(const std::string& trouble) const {
    const std::string found =
        at_ < text_.size() ? fmt::format("at {:?}", text_[at_]) : std::string("at its end");
    refuse(fmt::format("this is not JSON: {}, {}.", trouble, found), at_);
  }
  [[noreturn]] void refuse(std::string message, size_t offset) const {
    fail_at(name_, place_of(text_, offset), std::move(message));
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0;
};

}  // namespace

Config parse_json(std::string_view text, const std::string& name) {
  return JsonParser(text, name).parse();
}

}  // namespace stoker
