#include "nn/profile/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>

#include "core/cache_folder.h"
#include "core/thread_pool.h"
#include "device/scope.h"
#include "stoker/error.h"
#include "stoker/function.h"
#include "stoker/io.h"
#include "stoker/numerics.h"
#include "stoker/ops.h"
#include "stoker/version.h"

namespace stoker::nn {
namespace {

constexpr const char* of_memory = "memory";
std::string of_products(DType dtype) { return fmt::format("{} matmul", name_of(dtype)); }

double seconds_of(const device::Device& device, const std::function<void()>& run) {
  const auto synchronize = [&] {
    device::check(device, device.table().synchronize(device.index), "measuring the device");
  };
  synchronize();
  const auto begin = std::chrono::steady_clock::now();
  run();
  synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

using Measurable = std::pair<std::function<void()>, double>;  // a run and its amount of work

// The best of several runs: other processes may be using the machine.
double best_of(const device::Device& device, const std::function<void()>& run, int times) {
  double best = seconds_of(device, run);
  for (int i = 1; i < times; ++i) best = std::min(best, seconds_of(device, run));
  return best;
}

// Work per second; the size doubles until a run is long enough to be measured.
double best_rate(const device::Device& device, int64_t smallest, int64_t largest,
                 double long_enough, const std::function<Measurable(int64_t)>& make) {
  for (int64_t size = smallest;; size *= 2) {
    const auto [run, work] = make(size);
    run();  // compiles it
    if (size < largest && best_of(device, run, 3) < long_enough) continue;
    return work / best_of(device, run, 5);
  }
}

// float16 and similar types are cast from float32 on the device.
Array filled(const Shape& shape) {
  return Array::from(std::vector<float>(static_cast<size_t>(shape.size()), 0.7f), shape);
}

// Results are written to variables, which are already allocated.
double product_rate(const device::Device& device, DType dtype) {
  return best_rate(device, 256, 8192, 0.008, [&](int64_t n) {
    const Variable result(filled({n, n}), "product");
    const Tensor a = ops::cast(Tensor(filled({n, n})), dtype);
    const auto product = function([result](const Tensor& x) {
      result.assign(ops::cast(ops::matmul(x, x), DType::float32));
      return std::vector<Tensor>{};
    });
    const double size = static_cast<double>(n);
    return Measurable([=] { product(a); }, 2 * size * size * size);
  });
}

// Larger than a CPU's caches, and than a GPU's.
double memory_rate(const device::Device& device) {
  return best_rate(device, int64_t{1} << (device.is_host() ? 24 : 20), int64_t{1} << 28, 0.02,
                   [&](int64_t n) {
                     const Variable values(filled({n}), "values");
                     const Tensor one(Array::scalar(1.0f));
                     const auto sum = function([values](const Tensor& x) {
                       values.assign(values.read() + x);
                       return std::vector<Tensor>{};
                     });
                     return Measurable([=] { sum(one); }, 8 * static_cast<double>(n));
                   });
}

std::filesystem::path cache_file() {
  const auto folder = cache_folder();
  return folder.empty() ? folder : folder / "ceilings.json";
}

Config known_ceilings() {
  try {
    const Config known = load_json(cache_file().string());
    if (known.is_map()) return known;
  } catch (const Error&) {  // it does not exist yet, or is damaged
  }
  return Config::map();
}

void keep(const std::string& key, double rate) {
  Config known = known_ceilings();
  known[key] = rate;
  try {
    std::error_code ignored;
    std::filesystem::create_directories(cache_file().parent_path(), ignored);
    save_json(cache_file().string(), known);
  } catch (const Error&) {  // the next run measures again
  }
}

// The device, its libraries and settings.
std::string key_of(const device::Device& device, const std::string& name) {
  const StokerDevice described = device.describe();
  return fmt::format("{} | {} | {} threads | TF32 {} | {} | {}", described.name, described.detail,
                     device.is_host() ? asked_threads() : 0, tensor_float_32_execution_enabled(),
                     version(), name);
}

std::optional<double> kept(const Config& ceilings, const std::string& key) {
  const Config* rate = ceilings.find(key);
  return rate && rate->is_number() ? std::optional(rate->as_double()) : std::nullopt;
}

template <class Measure>
double cached(const device::Device& device, const std::string& name, const Measure& measure) {
  const std::string key = key_of(device, name);
  if (const auto rate = kept(known_ceilings(), key)) return *rate;
  const double rate = measure();
  keep(key, rate);
  return rate;
}

}  // namespace

Ceilings::Ceilings(const device::Device& device, const std::vector<DType>& dtypes) {
  const device::Scope scope(device);
  for (const DType dtype : dtypes)
    all_.push_back({of_products(dtype),
                    cached(device, of_products(dtype), [&] { return product_rate(device, dtype); }),
                    "FLOP/s"});
  all_.push_back(
      {of_memory, cached(device, of_memory, [&] { return memory_rate(device); }), "B/s"});
}

std::optional<Ceilings> Ceilings::known(const device::Device& device,
                                        const std::vector<DType>& dtypes) {
  const Config known = known_ceilings();
  Ceilings ceilings;
  const auto add = [&](const std::string& name, const char* unit) {
    const auto rate = kept(known, key_of(device, name));
    if (rate) ceilings.all_.push_back({name, *rate, unit});
    return rate.has_value();
  };
  for (const DType dtype : dtypes)
    if (!add(of_products(dtype), "FLOP/s")) return std::nullopt;
  if (!add(of_memory, "B/s")) return std::nullopt;
  return ceilings;
}

double Ceilings::products(DType dtype) const { return rate(of_products(dtype)); }
double Ceilings::memory() const { return rate(of_memory); }

double Ceilings::rate(const std::string& name) const {
  for (const RunRecord::Ceiling& ceiling : all_)
    if (ceiling.name == name) return ceiling.rate;
  return 0;
}

Ceilings::Limit Ceilings::limit(const graph::Cost& cost, DType dtype) const {
  const double peak = products(dtype), bandwidth = memory();
  const double compute = peak > 0 ? cost.flops / peak : 0;
  const double transfer = bandwidth > 0 ? cost.bytes / bandwidth : 0;
  if (compute == 0 && transfer == 0) return {};
  return compute > transfer ? Limit{compute, "compute"} : Limit{transfer, "bandwidth"};
}

DType dtype_of(const graph::Graph& graph, const graph::Node& node) {
  for (const graph::ValueId v : node.inputs)
    if (is_floating(graph.type(v).dtype)) return graph.type(v).dtype;
  return DType::float32;
}

std::vector<DType> dtypes_of(const graph::Graph& graph) {
  std::set<DType> dtypes;
  for (const graph::Node& node : graph.nodes)
    if (const graph::Cost cost = graph.cost(node); cost.flops > 4 * cost.bytes)
      dtypes.insert(dtype_of(graph, node));
  if (dtypes.empty()) dtypes.insert(DType::float32);
  return {dtypes.begin(), dtypes.end()};
}

}  // namespace stoker::nn
