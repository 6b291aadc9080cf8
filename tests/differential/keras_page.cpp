#include "differential/keras_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/elementwise/elementwise_program.h"
#include "differential/kind.h"
#include "graph/op.h"
#include "nn/config/registry.h"
#include "stoker/callback.h"
#include "stoker/io.h"
#include "test_places.h"

namespace stoker::differential {
namespace {

const std::string root = STOKER_SOURCE_DIR;

// What the cases show about a class.
struct Evidence {
  int64_t cases = 0;
  std::set<std::string> ops;
};
using Evidences = std::map<std::pair<std::string, std::string>, Evidence>;  // by kind and class

Evidences gather() {
  Evidences found;
  for (const CaseName& name : all_cases()) {
    const Family& of = family(name.family);
    const Config& record = of.at(name.index);
    const std::string kind = record.find("kind")->as_string();
    Evidence& evidence = found[{kind, record.find("class_name")->as_string()}];
    ++evidence.cases;
    if (kind == "layer" || kind == "operation") evidence.ops.merge(ops_of_layer(of, record));
  }
  return found;
}

std::string cuda_sources() {
  std::ostringstream text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/backends/cuda"))
    if (entry.path().extension() == ".cpp") text << std::ifstream(entry.path()).rdbuf();
  return text.str();
}

bool has_cuda_kernel(const std::string& op) {
  static const std::string sources = cuda_sources();
  if (graph::find_op(op).view || std::ranges::count(elementwise_ops, op) > 0) return true;
  return sources.find('"' + op + '"') != std::string::npos;
}

std::string devices_of(const Evidence& evidence) {
  if (evidence.cases == 0) return "";
  std::string others;
  for (const std::string& op : evidence.ops)
    if (!has_cuda_kernel(op)) others += (others.empty() ? "" : ", ") + op;
  return others.empty() ? "CPU, GPU" : fmt::format("CPU; on a GPU with {} on the CPU", others);
}

struct Area {
  std::string title, key, kind;
  std::vector<std::string> known;
};

std::vector<Area> areas() {
  const auto of_kind = [](const char* kind) { return kinds().at(kind).class_names(); };
  return {
      {"Layers", "layers", "layer", of_kind("layer")},
      {"Losses", "losses", "loss", of_kind("loss")},
      {"Metrics", "metrics", "metric", of_kind("metric")},
      {"Optimizers", "optimizers", "optimizer", of_kind("optimizer")},
      {"Learning rate schedules", "schedules", "schedule", of_kind("schedule")},
      {"Callbacks", "callbacks", "callback", nn::Registry<CallbackRef>::instance().class_names()},
      {"Initializers", "initializers", "initializer", of_kind("initializer")},
      {"Regularizers", "regularizers", "regularizer", of_kind("regularizer")},
      {"Constraints", "constraints", "constraint", of_kind("constraint")},
      {"Activations", "activations", "activation", of_kind("activation")},
      {"Operations in a model's description", "operations", "operation", of_kind("operation")}};
}

std::string reason_for(const Config& reasons, const std::string& area, const std::string& name) {
  const Config* of_area = reasons.find(area);
  const Config* reason = of_area ? of_area->find(name) : nullptr;
  return reason ? reason->as_string() : "";
}

std::string row(const Area& area, const std::string& name, const Config& reasons,
                const Evidences& evidences) {
  const std::string reason = reason_for(reasons, area.key, name);
  const bool is_there = std::ranges::count(area.known, name) > 0;
  if (!is_there && reason.starts_with("yes")) return fmt::format("| {} | {} | | |\n", name, reason);
  if (!is_there)
    return fmt::format("| {} | no: {} | | |\n", name, reason.empty() ? "not yet" : reason);
  const auto found = evidences.find({area.kind, name});
  const Evidence evidence = found == evidences.end() ? Evidence() : found->second;
  const bool has_ops = area.kind == "layer" || area.kind == "operation";
  const std::string devices = has_ops ? devices_of(evidence) : "CPU, GPU";
  return fmt::format("| {} | yes{} | {} | {} |\n", name, reason.empty() ? "" : "; " + reason,
                     devices, evidence.cases ? std::to_string(evidence.cases) : "");
}

}  // namespace

std::string keras_page() {
  const Config names = load_json(root + "/tools/keras_table/names.json");
  const Config reasons = load_json(root + "/tools/keras_table/reasons.json");
  const Evidences evidences = gather();
  std::ostringstream page;
  page << "# Supported Keras classes\n\n"
       << fmt::format(
              "Made from the registry and the public names of Keras {}: every class that Keras "
              "exports, whether Stoker has it, where it runs, and how many cases\n"
              "compare it with real Keras (`tools/differential`). `tools/keras_table/README.md` "
              "describes how this page is generated; do not edit it.\n",
              names.find("keras_version")->as_string());
  for (const Area& area : areas()) {
    page << "\n## " << area.title;
    if (area.kind == "operation")
      page << "\n\nWhat model files can contain. About a hundred of these can also be called in "
              "C++: the "
              "functions in `include/stoker/ops/`.";
    page << "\n\n| Keras | Stoker | devices | cases |\n|---|---|---|---|\n";
    for (const Config& name : names.find("areas")->find(area.key)->as_list())
      page << row(area, name.as_string(), reasons, evidences);
  }
  return page.str();
}

}  // namespace stoker::differential
