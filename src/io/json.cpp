#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "io/text_place.h"
#include "stoker/io.h"

namespace stoker {
namespace {

using json = nlohmann::json;

constexpr size_t deepest = 64;

// Tells how far the parser has read, which its events do not.
struct TrackedChar {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** reached;

  const char& operator*() const { return *at; }
  TrackedChar& operator++() {
    *reached = ++at;
    return *this;
  }
  bool operator==(const TrackedChar& other) const { return at == other.at; }
  bool operator!=(const TrackedChar& other) const { return at != other.at; }
};

// The library's sentence without its exception number and its own place.
std::string reason_of(const std::exception& error) {
  const std::string_view text = error.what();
  const size_t place = text.find(", column "),
               begin = text.find(": ", place == text.npos ? 0 : place);
  if (place != text.npos && begin != text.npos) return std::string(text.substr(begin + 2));
  const size_t bracket = text.find("] ");
  return std::string(bracket == text.npos ? text : text.substr(bracket + 2));
}

class ConfigBuilder : public nlohmann::json_sax<json> {
 public:
  ConfigBuilder(std::string_view text, const std::string& name)
      : text_(text), name_(name), reached_(text.data()) {}

  Config build() {
    const char* end = text_.data() + text_.size();
    json::sax_parse(TrackedChar{text_.data(), &reached_}, TrackedChar{end, &reached_}, this);
    return std::move(frames_[0].list[0]);
  }

  bool null() override {
    static const Config none;
    return add(none);
  }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      fail(fmt::format("{} does not fit into 64 bits with a sign.", value));
    return add(static_cast<int64_t>(value));
  }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(json::binary_t&) override { return false; }  // JSON text has none

  bool start_object(size_t) override { return open(true); }
  bool start_array(size_t) override { return open(false); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    Frame& frame = frames_.back();
    if (!frame.keys.insert(name).second) fail(fmt::format("the key {:?} stands twice.", name));
    frame.key = name;
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    fail_at(name_, place_of(text_, position == 0 ? 0 : position - 1),
            fmt::format("this is not JSON: {}.", reason_of(error)));
  }

 private:
  struct Frame {
    bool is_map;
    Config::List list;
    Config::Map map;
    std::string key;
    std::set<std::string> keys;
  };

  bool open(bool is_map) {
    if (frames_.size() > deepest) fail(fmt::format("nested deeper than {} levels.", deepest));
    frames_.push_back({is_map, {}, {}, {}, {}});
    return true;
  }

  bool close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    return frame.is_map ? add(Config::map(std::move(frame.map))) : add(std::move(frame.list));
  }

  template <class T>
  bool add(T&& value) {
    Frame& frame = frames_.back();
    if (frame.is_map)
      frame.map.emplace_back(std::move(frame.key), std::forward<T>(value));
    else
      frame.list.emplace_back(std::forward<T>(value));
    return true;
  }

  [[noreturn]] void fail(std::string message) const {
    const size_t read = static_cast<size_t>(reached_ - text_.data());
    fail_at(name_, place_of(text_, read == 0 ? 0 : read - 1), std::move(message));
  }

  std::string_view text_;
  const std::string& name_;
  const char* reached_;
  std::vector<Frame> frames_{{false, {}, {}, {}, {}}};  // the document is the first one's only item
};

}  // namespace

Config parse_json(std::string_view text, const std::string& name) {
  return ConfigBuilder(text, name).build();
}

}  // namespace stoker
