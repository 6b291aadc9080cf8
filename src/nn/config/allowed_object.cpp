#include "nn/config/allowed_object.h"

#include <fmt/format.h>

#include "nn/config/args.h"
#include "nn/config/own_classes.h"
#include "stoker/error.h"

namespace stoker::nn {
namespace {

// Keras classes that contain or require Python code.
std::string why_never(const std::string& class_name) {
  if (class_name == "Lambda" || class_name == "__lambda__")
    return "it holds Python code, which is never run from a file.";
  if (class_name == "__typespec__") return "it names a Python type to be created.";
  if (class_name == "TorchModuleWrapper" || class_name == "TFSMLayer" || class_name == "JaxLayer" ||
      class_name == "FlaxLayer")
    return "it wraps another program.";
  return {};
}

}  // namespace

void check_origin(const Config& object, const std::string& class_name) {
  const std::string module = text_at(object, "module"),
                    registered = text_at(object, "registered_name");
  if (const std::string why = why_never(class_name); !why.empty())
    throw Unsupported(fmt::format("class {} is not supported: {}", class_name, why));
  if (!own_named(class_name).empty()) return;  // registered by this program
  const bool of_keras = module.empty() || module == "keras" || module.starts_with("keras.");
  if (!of_keras || registered.find('>') != registered.npos)
    throw Unsupported(
        fmt::format("class {} is not supported: it is not Keras's but {}.", class_name,
                    registered.empty() ? "from \"" + module + "\""
                                       : "registered as \"" + registered + "\""),
        "a class of your own can be registered in C++: RegisterSerializable.");
}

Config allowed_object(const Config& object) {
  if (object.is_string()) return object;
  const std::string class_name = parse_object(object).class_name;
  const std::string module = text_at(object, "module");
  if (class_name == "function" && (module.empty() || module == "builtins")) {
    const Config* name = object.find("config");
    if (name && name->is_string()) return *name;
  }
  check_origin(object, class_name);
  return object;
}

}  // namespace stoker::nn
