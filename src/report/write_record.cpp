#include <cmath>
#include <set>

#include "core/main_process.h"
#include "core/text/valid_text.h"
#include "io/atomic_file.h"
#include "report/fields.h"
#include "report/format.h"

namespace stoker {
namespace report {
namespace {

// Converts a record to a tree of plain values.
class Writer {
 public:
  template <class T>
  void operator()(const char* key, const T& value) {
    map_.emplace_back(key, to_config(value));
  }
  Config take() { return Config::map(std::move(map_)); }

  static Config to_config(const std::string& text) { return valid_text(text); }
  static Config to_config(bool value) { return value; }
  static Config to_config(int64_t value) { return value; }
  static Config to_config(double value) { return std::isfinite(value) ? Config(value) : Config(); }
  static Config to_config(const TextPairs& pairs) {
    Config::Map map;
    std::set<std::string> names;
    for (const auto& [name, text] : pairs)
      if (std::string valid = valid_text(name); names.insert(valid).second)
        map.emplace_back(std::move(valid), valid_text(text));
    return Config::map(std::move(map));
  }
  template <class T>
  static Config to_config(const std::vector<T>& items) {
    Config::List list;
    list.reserve(items.size());
    for (const T& item : items) list.push_back(to_config(item));
    return list;
  }
  template <class T>
  requires std::is_class_v<T>
  static Config to_config(const T& object) {
    Writer inside;
    visit(object, inside);
    return inside.take();
  }

 private:
  Config::Map map_;
};

}  // namespace
}  // namespace report

Config to_config(const Account& account) { return report::Writer::to_config(account); }

Config to_config(const RunRecord& run) {
  Config::Map map{{"format", report::format_name}, {"version", RunRecord::version}};
  const Config fields = report::Writer::to_config(run);
  for (const Config::Member& member : fields.as_map()) map.push_back(member);
  return Config::map(std::move(map));
}

void save_run(const std::string& path, const RunRecord& run) {
  if (!is_main_process()) return;
  write_file(path, to_config(run).to_string() + "\n");
}

}  // namespace stoker
