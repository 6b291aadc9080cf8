#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "io/blob.h"
#include "report/fields.h"
#include "report/format.h"
#include "stoker/error.h"
#include "stoker/io.h"

namespace stoker {
namespace report {
namespace {

// A place in the file: "account.parts[2].seconds".
struct Place {
  const std::string& file;
  std::string path;
  Place at(const std::string& key) const { return {file, path.empty() ? key : path + "." + key}; }
  Place at(size_t index) const { return {file, fmt::format("{}[{}]", path, index)}; }
  [[noreturn]] void fail(const std::string& trouble) const {
    IoError error(fmt::format("\"{}\" {}", path, trouble));
    error.add_where(file);
    throw error;
  }
};

// Fills a record from a tree of plain values. Unknown keys are ignored.
class Reader {
 public:
  Reader(const Config& map, Place place) : map_(map), place_(std::move(place)) {
    if (!map.is_map()) fail(place_, "a table", map);
  }
  template <class T>
  void operator()(const char* key, T& value) {
    const Config* found = map_.find(key);
    if (!found) place_.at(key).fail("is missing.");
    read(*found, value, place_.at(key));
  }

 private:
  [[noreturn]] static void fail(const Place& place, const char* wanted, const Config& got) {
    place.fail(fmt::format("should be {}, and is {}.", wanted, got.kind()));
  }
  static void read(const Config& config, std::string& text, const Place& place) {
    if (!config.is_string()) fail(place, "a string", config);
    text = config.as_string();
  }
  static void read(const Config& config, bool& value, const Place& place) {
    if (!config.is_bool()) fail(place, "true or false", config);
    value = config.as_bool();
  }
  static void read(const Config& config, int64_t& value, const Place& place) {
    if (!config.is_int()) fail(place, "a whole number", config);
    value = config.as_int();
  }
  static void read(const Config& config, double& value, const Place& place) {
    if (config.is_null())
      value = std::numeric_limits<double>::quiet_NaN();
    else if (config.is_number())
      value = config.as_double();
    else
      fail(place, "a number or null", config);
  }
  static void read(const Config& config, TextPairs& pairs, const Place& place) {
    if (!config.is_map()) fail(place, "a table", config);
    for (const auto& [name, text] : config.as_map()) {
      if (!text.is_string()) fail(place.at(name), "a string", text);
      pairs.emplace_back(name, text.as_string());
    }
  }
  template <class T>
  static void read(const Config& config, std::vector<T>& items, const Place& place) {
    if (!config.is_list()) fail(place, "a list", config);
    const Config::List& list = config.as_list();
    items.resize(list.size());
    for (size_t i = 0; i < list.size(); ++i) read(list[i], items[i], place.at(i));
  }
  template <class T>
  requires std::is_class_v<T>
  static void read(const Config& config, T& object, const Place& place) {
    Reader inside(config, place);
    visit(object, inside);
  }

  const Config& map_;
  Place place_;
};

// Invariants that the page relies on.
void check(const RunRecord& run, const Place& root) {
  for (size_t i = 0; i < run.curves.size(); ++i)
    if (run.curves[i].epochs.size() != run.curves[i].values.size())
      root.at("curves").at(i).fail(fmt::format("has {} epochs and {} values.",
                                               run.curves[i].epochs.size(),
                                               run.curves[i].values.size()));
  for (size_t i = 0; i < run.memory.uses.size(); ++i)
    if (run.memory.uses[i].bytes.size() != run.memory.places.size())
      root.at("memory").at("uses").at(i).fail(fmt::format("has {} sizes for {} places.",
                                                          run.memory.uses[i].bytes.size(),
                                                          run.memory.places.size()));
}

void check_version(const Config& config, const std::string& file) {
  const Config* format = config.find("format");
  const Config* version = config.find("version");
  if (!format || !(*format == Config(format_name)) || !version || !version->is_int())
    throw InvalidArgument(fmt::format("\"{}\" is not a record of a run.", file),
                          "stoker train writes run.json into its output folder, and with --report "
                          "next to the page.");
  if (version->as_int() != RunRecord::version)
    throw InvalidArgument(fmt::format("\"{}\" is a record of version {}, and this program reads "
                                      "version {}.",
                                      file, version->as_int(), RunRecord::version),
                          "use the program that wrote it, or train again.");
}

// A page contains the record in a separate element.
std::string_view record_in(std::string_view page, const std::string& file) {
  const std::string opening = fmt::format("id=\"{}\">", data_element);
  const size_t begin = page.find(opening);
  if (begin == page.npos)
    throw InvalidArgument(fmt::format("\"{}\" is a page without the record of a run.", file));
  page.remove_prefix(begin + opening.size());
  return page.substr(0, page.find("</script>"));
}

}  // namespace
}  // namespace report

RunRecord run_from_config(const Config& config, const std::string& file) {
  report::check_version(config, file);
  const report::Place root{file, ""};
  RunRecord run;
  report::Reader reader(config, root);
  report::visit(run, reader);
  report::check(run, root);
  return run;
}

namespace report {
namespace {

Config parsed(std::string_view text, const std::string& file) try {
  return parse_json(text, file);
} catch (Error& error) {
  if (error.hint().empty())
    error.set_hint("name the output folder of stoker train, or the run.json or the page of a run.");
  throw;
}

}  // namespace
}  // namespace report

RunRecord load_run(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::string file = path;
  if (fs::is_directory(path, ignored)) {
    file = (fs::path(path) / report::file_name).string();
    if (!fs::exists(file, ignored))
      throw IoError(fmt::format("the folder \"{}\" has no {}.", path, report::file_name),
                    "name the output folder of stoker train, or a run.json.");
  }
  const Blob blob = read_file(file);
  std::string_view text = blob.text();
  if (file.ends_with(".html")) text = report::record_in(text, file);
  return run_from_config(report::parsed(text, file), file);
}

}  // namespace stoker
