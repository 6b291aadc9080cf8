#include "nn/saving/compile_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "nn/config/allowed_object.h"
#include "nn/config/args.h"
#include "nn/config/own_classes.h"
#include "nn/model_impl.h"
#include "nn/saving/model_problems.h"
#include "stoker/say.h"

namespace stoker::nn {
namespace {

class CompileReader {
 public:
  CompileReader(const Config& config, const std::vector<std::string>& output_names,
                std::vector<std::string>& problems)
      : config_(config), names_(output_names), problems_(problems) {}

  CompileArgs read() {
    CompileArgs args;
    if (const Config* optimizer = value("optimizer")) {
      args.optimizer = OptimizerRef();
      guarded("optimizer", [&] { args.optimizer = OptimizerRef(allowed_object(*optimizer)); });
    }
    if (const Config* loss = value("loss")) read_losses(*loss, args);
    if (const Config* weights = value("loss_weights"))
      guarded("loss_weights", [&] { read_loss_weights(*weights, args); });
    args.output_metrics = read_metrics("metrics");
    args.output_weighted_metrics = read_metrics("weighted_metrics");
    return args;
  }

 private:
  const Config* value(const char* key) const {
    const Config* found = config_.find(key);
    return found && !found->is_null() ? found : nullptr;
  }

  template <class F>
  void guarded(const std::string& key, F&& read_it) {
    try {
      read_it();
    } catch (const Error& error) {
      problems_.push_back(fmt::format("compile_config/{}: {}", key, short_text(error)));
    }
  }

  static bool is_object(const Config& config) { return config.find("class_name") != nullptr; }

  // One entry per output; null if there is none. All entries if the outputs are not known yet.
  std::vector<Config> by_output(const Config& config) const {
    if (config.is_list() && names_.empty()) return config.as_list();
    if (config.is_list()) {
      if (config.as_list().size() != names_.size())
        throw InvalidArgument(
            fmt::format("{} entries for {} outputs.", config.as_list().size(), names_.size()));
      return config.as_list();
    }
    std::vector<Config> entries(names_.size());
    for (const auto& [name, entry] : config.as_map()) {
      if (names_.empty()) {
        entries.push_back(entry);
        continue;
      }
      const auto at = std::ranges::find(names_, name);
      if (at == names_.end())
        throw InvalidArgument(fmt::format("there is no output \"{}\".", name),
                              fmt::format("the outputs are {}.", fmt::join(names_, ", ")));
      entries[static_cast<size_t>(at - names_.begin())] = entry;
    }
    return entries;
  }

  void read_losses(const Config& config, CompileArgs& args) {
    const bool single = config.is_string() || is_object(config);
    std::vector<Config> entries;
    guarded("loss", [&] { entries = single ? std::vector{config} : by_output(config); });
    for (const Config& entry : entries) {
      LossRef loss;
      if (!entry.is_null()) guarded("loss", [&] { loss = LossRef(allowed_object(entry)); });
      args.loss.push_back(loss);
    }
  }

  void read_loss_weights(const Config& config, CompileArgs& args) {
    if (config.is_number()) {
      args.loss_weights.assign(names_.size(), config.as_double());
      return;
    }
    for (const Config& entry : by_output(config))
      args.loss_weights.push_back(entry.is_null() ? 1.0 : entry.as_double());
  }

  std::vector<Metrics> read_metrics(const std::string& key) {
    std::vector<Metrics> lists;
    const Config* config = value(key.c_str());
    if (!config) return lists;
    // With one output everything belongs to it, at any nesting depth.
    std::vector<Config> entries;
    guarded(key, [&] { entries = names_.size() > 1 ? by_output(*config) : std::vector{*config}; });
    for (const Config& entry : entries) collect(key, entry, lists.emplace_back());
    const bool none = std::ranges::all_of(lists, [](const auto& list) { return list.empty(); });
    return none ? std::vector<Metrics>{} : lists;
  }

  void collect(const std::string& key, const Config& entry, Metrics& found) {
    if (entry.is_null()) return;
    if (entry.is_list()) {
      for (const Config& item : entry.as_list()) collect(key, item, found);
    } else if (entry.is_map() && !is_object(entry)) {
      for (const auto& [name, item] : entry.as_map()) collect(key, item, found);
    } else {
      guarded(key, [&] {
        MetricRef metric(allowed_object(entry));
        metric.check();
        found.push_back(std::move(metric));
      });
    }
  }

  const Config& config_;
  const std::vector<std::string>& names_;
  std::vector<std::string>& problems_;
};

Config serialize_loss(const LossRef& loss) {
  if (!loss.defined()) return {};
  const auto& object = *loss;
  const bool function = object.class_name() == "Loss" && own_name(typeid(object)).empty();
  return function ? function_object(object.name())
                  : serialize_object<LossRef>("keras.losses", object);
}

// A dict by output name, for some of the outputs.
template <class T, class F>
Config by_name(const std::map<std::string, T>& values, F&& serialize) {
  Config table = Config::map();
  for (const auto& [name, value] : values) table[name] = serialize(value);
  return table;
}

Config serialize_losses(const CompileArgs& args) {
  const Losses& losses = args.loss;
  if (!args.loss_by_output.empty()) return by_name(args.loss_by_output, serialize_loss);
  if (losses.empty()) return {};
  if (losses.size() == 1) return serialize_loss(losses[0]);
  Config::List list;
  for (const LossRef& loss : losses) list.push_back(serialize_loss(loss));
  return list;
}

// The user-defined function whose mean is the metric; empty if it is none.
std::string function_of(const Config& metric) {
  if (metric.is_string()) return own_named(metric.as_string());
  const Config* kind = metric.find("class_name");
  if (!kind || kind->as_string() != "MeanMetricWrapper") return {};
  return metric.find("config")->find("name")->as_string();
}

Config serialize_metrics(const Metrics& metrics) {
  if (metrics.empty()) return {};
  Config::List list;
  for (const MetricRef& metric : metrics) {
    const Config config = metric.to_config();
    const std::string function = function_of(config);
    list.push_back(function.empty() ? config : function_object(function));
  }
  return list;
}

Config serialize_metrics(const Metrics& of_one, const std::vector<Metrics>& by_output,
                         const std::map<std::string, Metrics>& named) {
  const auto serialize = [](const Metrics& list) { return serialize_metrics(list); };
  if (!named.empty()) return by_name(named, serialize);
  if (by_output.empty()) return serialize_metrics(of_one);
  Config::List lists;
  for (const auto& metrics : by_output) lists.push_back(serialize_metrics(metrics));
  return lists;
}

Config serialize_weights(const CompileArgs& args) {
  if (!args.loss_weights_by_output.empty())
    return by_name(args.loss_weights_by_output, [](double weight) { return Config(weight); });
  if (args.loss_weights.empty()) return {};
  return Config::List(args.loss_weights.begin(), args.loss_weights.end());
}

}  // namespace

Config serialize_optimizer(const Optimizer& optimizer) {
  return serialize_object<std::shared_ptr<Optimizer>>("keras.optimizers", optimizer);
}

Config serialize_compile(const CompileArgs& args) {
  Config optimizer;
  if (args.optimizer.defined()) optimizer = serialize_optimizer(*args.optimizer);
  return Config::map(
      {{"optimizer", optimizer},
       {"loss", serialize_losses(args)},
       {"loss_weights", serialize_weights(args)},
       {"metrics", serialize_metrics(args.metrics, args.output_metrics, args.metrics_by_output)},
       {"weighted_metrics", serialize_metrics(args.weighted_metrics, args.output_weighted_metrics,
                                              args.weighted_metrics_by_output)},
       {"run_eagerly", false},
       {"steps_per_execution", 1},
       {"jit_compile", "auto"}});
}

CompileArgs deserialize_compile(const Config& config, const std::vector<std::string>& output_names,
                                std::vector<std::string>& problems) {
  return CompileReader(config, output_names, problems).read();
}

void compile_as_stored(Model& model, const CompileArgs& args, const Config& settings) {
  if (args.optimizer.defined())
    model.compile(args);
  else
    say(stderr,
        fmt::format("Warning: the optimizer of model \"{}\" is not known here; its state is "
                    "not kept.\n",
                    model.name()));
  model.impl().compiled.config = settings;
}

}  // namespace stoker::nn
