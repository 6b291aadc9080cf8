#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stoker {

// A tree of plain values: the arguments of a layer, loss or optimizer by their Keras names. Used by
// recipes, model files and get_config()/from_config(); keys keep their order.
class Config {
 public:
  using List = std::vector<Config>;
  using Member = std::pair<std::string, Config>;
  using Map = std::vector<Member>;

  Config();  // null, Python's None
  Config(bool value);
  Config(int value);
  Config(int64_t value);
  Config(double value);
  Config(const char* value);
  Config(std::string value);
  Config(List value);
  // Not inline: every file with arguments would compile the variant's copy constructor again.
  Config(const Config& other);
  Config(Config&& other) noexcept;
  Config& operator=(const Config& other);
  Config& operator=(Config&& other) noexcept;
  ~Config();
  static Config map(Map members = {});

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_int() const { return std::holds_alternative<int64_t>(value_); }
  bool is_number() const { return is_int() || std::holds_alternative<double>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_list() const { return std::holds_alternative<List>(value_); }
  bool is_map() const { return std::holds_alternative<Map>(value_); }

  // Each throws InvalidArgument with the expected and the actual kind.
  bool as_bool() const;
  int64_t as_int() const;
  double as_double() const;
  const std::string& as_string() const;
  const List& as_list() const;
  const Map& as_map() const;

  const Config* find(const std::string& key) const;  // nullptr if absent (or not a map)
  Config& operator[](const std::string& key);        // adds the key
  std::string kind() const;
  std::string to_string() const;  // JSON
  bool operator==(const Config& other) const;

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, List, Map> value_;
};

}  // namespace stoker
