#include "nn/config/own_classes.h"

#include <algorithm>
#include <typeindex>

namespace stoker::nn {
namespace {

struct OwnClasses {
  std::map<std::type_index, std::string> by_type;
  std::map<std::string, std::string> by_name;  // registered names and bare names

  static OwnClasses& instance() {
    static OwnClasses classes;
    return classes;
  }
};

bool is_of_keras(const std::string& module) {
  return module == "keras" || module.starts_with("keras.");
}

std::string bare(const std::string& registered_name) {
  return registered_name.substr(registered_name.find('>') + 1);
}

// Keras also writes registered classes of a main program without a module; their names contain a
// ">".
bool is_unregistered(const Config& object) {
  const Config* module = object.find("module");
  const Config* registered = object.find("registered_name");
  if (!module || !module->is_null() || !registered || !registered->is_string()) return false;
  const bool function = text_at(object, "class_name") == "function";
  const std::string name = function ? text_at(object, "config") : registered->as_string();
  return name.find('>') == name.npos;
}

void collect_unregistered(const Config& config, std::vector<std::string>& found) {
  if (config.is_list())
    for (const Config& item : config.as_list()) collect_unregistered(item, found);
  if (!config.is_map()) return;
  if (is_unregistered(config)) {
    const bool function = text_at(config, "class_name") == "function";
    const std::string name = function ? fmt::format("function \"{}\"", text_at(config, "config"))
                                      : "class " + text_at(config, "class_name");
    if (std::ranges::find(found, name) == found.end()) found.push_back(name);
  }
  for (const auto& [key, value] : config.as_map()) collect_unregistered(value, found);
}

}  // namespace

std::string add_own_function(const std::string& package, const std::string& name) {
  if (name.empty() || (package + name).find('>') != std::string::npos)
    throw InvalidArgument(fmt::format("cannot register \"{}\" of package \"{}\".", name, package),
                          "a name must not be empty, and neither may contain \">\".");
  const std::string registered = package.empty() ? name : package + ">" + name;
  auto& names = OwnClasses::instance().by_name;
  if (const auto at = names.find(registered); at != names.end() && at->second == registered)
    throw InvalidArgument(fmt::format("\"{}\" is registered twice.", registered),
                          "give one of them another name or package.");
  names[registered] = registered;
  names.emplace(name, registered);
  return registered;
}

std::string add_own_class(const std::type_info& type, const std::string& package,
                          const std::string& name) {
  auto& types = OwnClasses::instance().by_type;
  if (const auto at = types.find(type); at != types.end())
    throw InvalidArgument(
        fmt::format("a class is registered as \"{}>{}\" and as \"{}\".", package, name, at->second),
        "register it once.");
  const std::string registered = add_own_function(package, name);
  types.emplace(type, registered);
  return registered;
}

std::string own_name(const std::type_info& type) {
  const auto& types = OwnClasses::instance().by_type;
  const auto found = types.find(type);
  return found == types.end() ? "" : found->second;
}

std::string own_named(const std::string& name) {
  const auto& names = OwnClasses::instance().by_name;
  const auto found = names.find(name);
  return found == names.end() ? "" : found->second;
}

std::string own_class_of(const Config& object) {
  if (!object.find("module") || is_of_keras(text_at(object, "module"))) return {};
  return own_named(text_at(object, "registered_name"));
}

Config own_object(const std::string& registered_name, const Config& config) {
  const std::string name = bare(registered_name);
  const std::string package = registered_name.substr(
      0, registered_name.size() - std::min(registered_name.size(), name.size() + 1));
  return Config::map({{"module", package},
                      {"class_name", name},
                      {"config", config},
                      {"registered_name", registered_name}});
}

Config unregistered_object(const std::string& class_name, const Config& config) {
  return Config::map({{"module", Config()},
                      {"class_name", class_name},
                      {"config", config},
                      {"registered_name", class_name}});
}

Config function_object(const std::string& name) {
  return Config::map({{"module", own_named(name) == name ? Config("builtins") : Config()},
                      {"class_name", "function"},
                      {"config", name},
                      {"registered_name", "function"}});
}

std::vector<std::string> unregistered_in(const Config& config) {
  std::vector<std::string> found;
  collect_unregistered(config, found);
  return found;
}

}  // namespace stoker::nn
