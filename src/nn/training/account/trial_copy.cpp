#include "nn/training/account/trial_copy.h"

#include <cstring>

namespace stoker::nn {
namespace {

Array tiled(const Array& rows, int64_t count) {
  if (rows.length() >= count) return rows.rows(0, count);
  Shape shape = rows.shape();
  shape[0] = count;
  Array all(rows.dtype(), shape);
  const size_t bytes = rows.row_bytes();
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(all.mutable_raw() + static_cast<size_t>(i) * bytes,
                rows.raw() + static_cast<size_t>(i % rows.length()) * bytes, bytes);
  return all;
}
bool is_of(const Config& config, const char* class_name) {
  const Config* name = config.find("class_name");
  return name && name->is_string() && name->as_string() == class_name;
}

// The same config with another policy for each layer that computes in float32. An Input has a data
// type, not a policy.
Config with_policy(const Config& config, const std::string& policy) {
  if (config.is_list()) {
    Config::List list;
    for (const Config& item : config.as_list()) list.push_back(with_policy(item, policy));
    return list;
  }
  if (!config.is_map() || is_of(config, "InputLayer")) return config;
  Config map = Config::map();
  const bool is_policy = is_of(config, "DTypePolicy");
  for (const auto& [key, value] : config.as_map()) {
    const bool plain = key == "dtype" && value.is_string() && value.as_string() == "float32";
    if (plain)
      map[key] = policy;
    else if (is_policy && key == "config")
      map[key] = Config::map({{"name", policy}});
    else
      map[key] = with_policy(value, policy);
  }
  return map;
}

}  // namespace

Arrays tiled(const Arrays& arrays, int64_t count) {
  Arrays all;
  for (const Array& array : arrays) all.push_back(tiled(array, count));
  return all;
}

Model trial_copy(const Model& model, const std::string& policy) {
  const Config config = model.get_config();
  Model made = Model::from_config(policy.empty() ? config : with_policy(config, policy));
  made.compile_from_config(model.get_compile_config());
  return made;
}

}  // namespace stoker::nn
