#include "nn/layer_list.h"

#include <fmt/format.h>

#include <map>

#include "nn/config/registry.h"

namespace stoker::nn {

std::vector<Layer::Sublayer> listed_sublayers(const std::string& attribute,
                                              const std::vector<LayerRef>& layers) {
  std::map<std::string, int> counts;
  std::vector<Layer::Sublayer> named;
  for (const LayerRef& layer : layers) {
    const std::string base = to_snake_case(layer->class_name());
    const int n = counts[base]++;
    named.push_back({attribute + "/" + (n == 0 ? base : fmt::format("{}_{}", base, n)), layer});
  }
  return named;
}

}  // namespace stoker::nn
