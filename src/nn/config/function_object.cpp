#include "nn/config/function_object.h"

#include "nn/config/args.h"

namespace stoker::nn {
namespace {

bool is(const Config& config, const char* class_name) {
  const Config* name = config.find("class_name");
  return name && name->is_string() && name->as_string() == class_name;
}

}  // namespace

Config without_wrapper(const Config& config, const char* wrapper) {
  if (is(config, "function") && config.find("config")) return *config.find("config");
  if (!is(config, wrapper)) return config;
  const Config arguments = parse_object(config).config;
  Config function, others = Config::map();
  for (const auto& [key, value] : arguments.as_map())
    (key == "fn" ? function : others[key]) = value;
  const Config name = without_wrapper(function, wrapper);
  return name.is_string() ? make_object(name.as_string(), others) : config;
}

}  // namespace stoker::nn
