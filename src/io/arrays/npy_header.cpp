#include "io/arrays/npy_header.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace stoker {
namespace {

class HeaderParser {
 public:
  explicit HeaderParser(const Blob& text) : blob_(text), text_(text.text()) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      member();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    if (at_ != text_.size()) fail("text follows the header's closing brace.");
    if (!descr_ || !fortran_order_ || !shape_)
      fail("the header needs 'descr', 'fortran_order' and 'shape'.");
    return {*descr_, *fortran_order_, *shape_};
  }

 private:
  void member() {
    const std::string_view key = quoted();
    expect(':');
    if (key == "descr")
      once(descr_, descr(), key);
    else if (key == "fortran_order")
      once(fortran_order_, boolean(), key);
    else if (key == "shape")
      once(shape_, tuple(), key);
    else
      fail(fmt::format("unknown key '{}' in the header.", key));
  }

  template <class T>
  void once(std::optional<T>& field, T value, std::string_view key) {
    if (field) fail(fmt::format("'{}' occurs twice in the header.", key));
    field = std::move(value);
  }

  StoredType descr() {
    if (peek() == '[' || peek() == '(')
      throw_unsupported("a structured dtype", "save each field as an array of its own.");
    const std::string_view name = quoted();
    if (name.size() < 2) fail(fmt::format("unknown dtype '{}'.", name));
    size_t size = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + 2, end, size);
    const char order = name[0], kind = name[1];
    if (kind == 'O')
      throw_unsupported(
          "dtype object (pickled Python)",
          "save it with a dtype: array.astype('float32') for numbers, array.astype('U') for "
          "strings.");
    // NumPy stores an empty string with a width of at least one.
    if ((kind == 'U' || kind == 'S') && order != '>' && size > 0 && size < (size_t{1} << 20) &&
        error == std::errc{} && stop == end)
      return {kind, kind == 'U' ? 4 * size : size, false};
    const bool known_order = order == '<' || order == '>' || order == '|' || order == '=';
    const bool known_size = size == 1 || size == 2 || size == 4 || size == 8;
    const bool known_kind = kind == 'f' || kind == 'i' || kind == 'u' || kind == 'b';
    if (!known_order || !known_kind || !known_size || error != std::errc{} || stop != end ||
        (kind == 'f' && size == 1) || (kind == 'b' && size != 1))
      throw_unsupported(fmt::format("dtype '{}'", name),
                        "save it as float16, float32, float64, an integer, bool or strings.");
    return {kind, size, order == '>'};
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, {"False", false}}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    fail("True or False is expected here.");
  }

  Shape tuple() {
    std::vector<int64_t> dims;
    expect('(');
    while (!accept(')')) {
      dims.push_back(integer());
      if (accept(',')) continue;
      expect(')');
      break;
    }
    return Shape(std::move(dims));
  }

  int64_t integer() {
    skip_space();
    int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 0) fail("a dimension is expected here.");
    at_ += static_cast<size_t>(stop - begin);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2's suffix of long integers
    return value;
  }

  std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a quoted word is expected here.");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a quote is not closed.");
    const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return word;
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}' is expected here in the header.", c));
  }
  [[noreturn]] void fail(std::string message) const { blob_.fail(at_, std::move(message)); }
  [[noreturn]] void throw_unsupported(std::string_view what, std::string hint) const {
    Unsupported error(fmt::format("{} cannot be read.", what), std::move(hint));
    error.add_where(blob_.name());
    throw error;
  }

  const Blob& blob_;
  std::string_view text_;
  size_t at_ = 0;
  std::optional<StoredType> descr_;
  std::optional<bool> fortran_order_;
  std::optional<Shape> shape_;
};

}  // namespace

NpyHeader parse_npy_header(const Blob& text) { return HeaderParser(text).parse(); }

}  // namespace stoker
