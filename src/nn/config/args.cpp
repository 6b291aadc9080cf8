#include "nn/config/args.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/config/array_config.h"
#include "nn/config/own_classes.h"
#include "nn/saving/network_config.h"
#include "stoker/error.h"
#include "stoker/optimizer.h"
#include "stoker/suggest.h"

namespace stoker::nn {

const Config* ArgsReader::find(const char* key, Presence presence) const {
  const Config* value = config_.find(key);
  if (!value && presence == required)
    throw InvalidArgument(fmt::format("{} needs \"{}\".", owner_, key));
  return value;
}

void ArgsReader::accept_and_ignore(const char* key) { known_.emplace_back(key); }

void ArgsReader::guarded(const char* key, const std::function<void()>& read_field) const {
  try {
    read_field();
  } catch (Error& error) {
    error.add_where(fmt::format("argument \"{}\" of {}", key, owner_));
    throw;
  }
}

void ArgsReader::fixed(const char* key, const Config& value) {
  known_.emplace_back(key);
  const Config* given = config_.find(key);
  if (given && *given != value)
    throw Unsupported(
        fmt::format("{} with {} {} is not supported.", owner_, key, given->to_string()),
        fmt::format("only {} is.", value.to_string()));
}

void ArgsReader::finish() const {
  if (config_.is_null()) return;
  for (const auto& [key, value] : config_.as_map())
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      throw InvalidArgument(fmt::format("{} has no argument \"{}\".", owner_, key),
                            did_you_mean(key, known_));
}

void ArgsReader::read(const Config& c, Activation& out) {
  out = c.is_null() ? Activation() : Activation(c);
}

void ArgsReader::read(const Config& c, InputDType& out) {
  out = c.is_null() ? InputDType() : InputDType(c.as_string());
}

void ArgsReader::read(const Config& c, LearningRate& out) { out = LearningRate(c); }

void ArgsReader::read(const Config& c, LayerRef& out) {
  out = c.is_null() ? LayerRef() : deserialize_layer(c);
}

void ArgsReader::read(const Config& c, Regularizer& out) {
  out = c.is_null() ? Regularizer() : Regularizer(c);
}

void ArgsReader::read(const Config& c, Constraint& out) {
  out = c.is_null() ? Constraint() : Constraint(c);
}

void ArgsReader::read(const Config& c, Shape& out) { out = shape_from(c); }

void ArgsReader::read(const Config& c, DType& out) {
  out = c.is_null() ? DType::float32 : parse_dtype(c.as_string());
}

// A name, or Keras's {"class_name": "DTypePolicy", "config": {"name": …}}.
void ArgsReader::read(const Config& c, DTypePolicy& out) {
  if (c.is_null()) {
    out = DTypePolicy();
    return;
  }
  const ObjectConfig object = c.is_string() ? ObjectConfig{} : parse_object(c);
  const std::string& kind = object.class_name;
  if (!kind.empty() && kind != "DTypePolicy" && kind != "FloatDTypePolicy")
    throw Unsupported(fmt::format("dtype policy of class \"{}\" is not supported.", kind));
  const Config* name = c.is_string() ? &c : object.config.find("name");
  if (!name)
    throw InvalidArgument(fmt::format("a dtype policy needs a name, got {}.", c.to_string()));
  out = DTypePolicy(name->as_string());
}

void ArgsReader::read(const Config& c, std::vector<int64_t>& out) {
  out.clear();
  if (c.is_int()) return out.push_back(c.as_int());
  for (const Config& item : c.as_list()) out.push_back(item.as_int());
}

void ArgsReader::read(const Config& c, std::vector<double>& out) {
  out.clear();
  if (c.is_number()) return out.push_back(c.as_double());
  for (const Config& item : c.as_list()) out.push_back(item.as_double());
}

void ArgsReader::read_list(const Config& c, int64_t* out, size_t n) {
  const auto& list = c.as_list();
  if (list.size() != n)
    throw InvalidArgument(
        fmt::format("expected an integer or {} of them, got {}.", n, c.to_string()));
  for (size_t i = 0; i < n; ++i) out[i] = list[i].as_int();
}

Config ArgsWriter::write(const InputDType& v) { return v.name(); }
Config ArgsWriter::write(const LearningRate& v) { return v.to_config(); }
Config ArgsWriter::write(const LayerRef& v) { return v.ptr() ? serialize_layer(*v) : Config(); }

Config ArgsWriter::write(const Shape& v) { return shape_config(v); }
Config ArgsWriter::write(const DTypePolicy& v) {
  if (!v.defined()) return {};
  return keras_object("keras", "DTypePolicy", Config::map({{"name", v.name()}}));
}
Config ArgsWriter::write(const std::vector<int64_t>& v) { return Config::List(v.begin(), v.end()); }
Config ArgsWriter::write(const std::vector<double>& v) { return Config::List(v.begin(), v.end()); }

std::string text_at(const Config& config, const char* key) {
  const Config* found = config.find(key);
  return found && found->is_string() ? found->as_string() : "";
}

ObjectConfig parse_object(const Config& config) {
  if (config.is_string()) return {config.as_string()};
  const Config* name = config.find("class_name");
  if (!name)
    throw InvalidArgument(
        fmt::format("expected a name or {{class_name, config}}, got {}.", config.to_string()));
  const Config* arguments = config.find("config");
  const std::string own = own_class_of(config);
  return {own.empty() ? name->as_string() : own,
          arguments && !arguments->is_null() ? *arguments : Config::map()};
}

Config make_object(const std::string& class_name, const Config& config) {
  return Config::map({{"class_name", class_name}, {"config", config}});
}

Config keras_object(const std::string& module, const std::string& class_name,
                    const Config& config) {
  return Config::map({{"module", module},
                      {"class_name", class_name},
                      {"config", config},
                      {"registered_name", Config()}});
}

}  // namespace stoker::nn
