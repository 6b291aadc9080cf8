#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/main_process.h"
#include "nn/config/registry.h"
#include "nn/saving/archive.h"
#include "nn/saving/h5_weights.h"
#include "nn/saving/named_weights.h"
#include "nn/saving/weight_mismatch.h"
#include "stoker/io.h"
#include "stoker/model.h"
#include "stoker/version.h"

namespace stoker {
namespace {

using NamedVariables = std::vector<std::pair<std::string, Variable>>;

// "dense_7" is the seventh Dense layer of the process: such a name identifies nothing.
bool is_automatic(const std::string& name, const std::string& base) {
  if (!name.starts_with(base)) return false;
  const std::string rest = name.substr(base.size());
  return rest.empty() || (rest.size() > 1 && rest[0] == '_' &&
                          rest.find_first_not_of("0123456789", 1) == rest.npos);
}

// Names within one parent: given names stay, automatic ones are counted per class.
class Names {
 public:
  std::string of(const Layer& layer) {
    const std::string base = nn::to_snake_case(layer.class_name());
    return unique(is_automatic(layer.name(), base) ? base : layer.name());
  }
  std::string unique(const std::string& base) {
    const int n = counts_[base]++;
    return n == 0 ? base : unique(fmt::format("{}_{}", base, n));
  }

 private:
  std::map<std::string, int> counts_;
};

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

class Collector {
 public:
  void visit(const Layer& layer, const std::string& path) {
    Names names;
    for (const Variable& own : layer.own_weights())
      if (seen_.insert(own.state().get()).second)
        found.emplace_back(path + names.unique(last_part(own.name())), own);
    for (const LayerRef& sub : layer.sublayers()) visit(*sub, path + names.of(*sub) + "/");
  }
  NamedVariables found;

 private:
  std::set<const graph::State*> seen_;
};

// All mismatches between file and model.
std::vector<std::string> differences(const NamedVariables& wanted,
                                     const std::map<std::string, Array>& stored) {
  std::vector<std::string> found;
  std::set<std::string> known;
  for (const auto& [name, variable] : wanted) {
    known.insert(name);
    const auto at = stored.find(name);
    if (at == stored.end())
      found.push_back(nn::missing_in_file(name, variable.type()));
    else if (at->second.shape() != variable.shape() ||
             is_floating(at->second.dtype()) != is_floating(variable.dtype()))
      found.push_back(nn::other_in_file(name, variable.type(), at->second.type()));
  }
  for (const auto& [name, array] : stored)
    if (!known.contains(name)) found.push_back(nn::only_in_file(name, array.type()));
  return found;
}

}  // namespace

NamedVariables nn::named_weights(const Model& model, const char* doing) {
  Collector collector;
  collector.visit(*model.network(), "");
  if (collector.found.empty())
    throw InvalidArgument(
        fmt::format("{}: model \"{}\" has no weights.", doing, model.name()),
        "if its input shape is not known yet, give it an Input or call it on some data first.");
  return collector.found;
}

void Model::save_weights(const std::string& path) const {
  const auto weights = nn::named_weights(*this, "save_weights");
  if (!is_main_process()) return;
  if (path.ends_with(".h5")) return save_hdf5(path, nn::weights_tree(*this));
  const bool npz = path.ends_with(".npz");
  NamedArrays arrays;
  for (const auto& [name, variable] : weights) {
    arrays.emplace_back(name, variable.array());
    Array& array = arrays.back().second;  // NumPy's files have no bfloat16
    if (npz && array.dtype() == DType::bfloat16) array = array.astype(DType::float32);
  }
  if (npz) return save_npz(path, arrays);
  save_safetensors(path, arrays, {{"stoker", version()}});
}

void Model::load_weights(const std::string& path) {
  const auto wanted = nn::named_weights(*this, "load_weights");
  const bool shards = path.ends_with(".json");
  if (shards || path.ends_with(".keras") || path.ends_with(".h5") || path.ends_with(".hdf5")) {
    const H5Group root = shards ? nn::load_shards(path) : nn::parse_weights(read_file(path));
    nn::restore_weights(*this, root, path);
    if (compiled()) nn::restore_optimizer(*this, root, path);
    return;
  }
  std::map<std::string, Array> stored;
  for (auto& [name, array] :
       path.ends_with(".npz") ? load_npz(path) : load_safetensors(path).tensors)
    stored[name] = array;
  if (auto found = differences(wanted, stored); !found.empty())
    nn::refuse_weights(path, name(), std::move(found));
  for (const auto& [name, variable] : wanted) variable.set(stored.at(name));
}

}  // namespace stoker
