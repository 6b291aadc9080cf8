#include "io/packed/element_config.h"

#include <fmt/format.h>

namespace stoker {
namespace {

constexpr const char* text_type = "string";

Config array_config(const TensorSpec& spec) {
  Config::List dims;
  for (const int64_t dim : spec.shape) dims.push_back(dim == unknown ? Config() : Config(dim));
  const std::string dtype = spec.text ? text_type : std::string(name_of(spec.dtype));
  return Config::map({{"dtype", dtype}, {"shape", dims}});
}

Config part_config(const Structure& structure, const TensorSpec*& next) {
  if (structure.is_array()) return array_config(*next++);
  Config::List parts;
  for (size_t i = 0; i < structure.parts().size(); ++i) {
    Config part = part_config(structure.parts()[i], next);
    parts.push_back(structure.is_table() ? Config(Config::List{structure.names()[i], part}) : part);
  }
  return structure.is_table() ? Config::map({{"table", parts}}) : Config(parts);
}

const Config& member(const Config& config, const char* key) {
  const Config* found = config.find(key);
  if (!found)
    throw InvalidArgument(fmt::format("an element spec without \"{}\": {}.", key, config.kind()));
  return *found;
}

TensorSpec array_from(const Config& config) {
  TensorSpec spec;
  const std::string& dtype = member(config, "dtype").as_string();
  spec.text = dtype == text_type;
  spec.dtype = spec.text ? DType::int64 : parse_dtype(dtype);
  std::vector<int64_t> dims;
  for (const Config& dim : member(config, "shape").as_list()) {
    dims.push_back(dim.is_null() ? unknown : dim.as_int());
    if (!dim.is_null() && dims.back() < 0)
      throw InvalidArgument(fmt::format("an element spec with a dimension of {}.", dims.back()));
  }
  spec.shape = Shape(std::move(dims));
  return spec;
}

constexpr int deepest = 32;

Structure part_from(const Config& config, std::vector<TensorSpec>& arrays, int depth);

Structure table_from(const Config::List& members, std::vector<TensorSpec>& arrays, int depth) {
  std::vector<std::string> names;
  std::vector<Structure> parts;
  for (const Config& one : members) {
    const Config::List& pair = one.as_list();
    if (pair.size() != 2) throw InvalidArgument("an element spec with a part that is not a pair.");
    names.push_back(pair[0].as_string());
    parts.push_back(part_from(pair[1], arrays, depth));
  }
  return Structure::table(std::move(names), std::move(parts));
}

Structure part_from(const Config& config, std::vector<TensorSpec>& arrays, int depth) {
  if (depth > deepest) throw InvalidArgument("an element spec with too many levels.");
  if (const Config* table = config.find("table"))
    return table_from(table->as_list(), arrays, depth + 1);
  if (!config.is_list()) {
    arrays.push_back(array_from(config));
    return {};
  }
  std::vector<Structure> parts;
  for (const Config& part : config.as_list()) parts.push_back(part_from(part, arrays, depth + 1));
  return Structure::tuple(std::move(parts));
}

}  // namespace

Config to_config(const ElementSpec& spec) {
  const TensorSpec* next = spec.arrays.data();
  return part_config(spec.structure, next);
}

ElementSpec element_spec_from(const Config& config) {
  ElementSpec spec;
  spec.structure = part_from(config, spec.arrays, 0);
  return spec;
}

}  // namespace stoker
