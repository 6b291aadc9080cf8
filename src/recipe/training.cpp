#include <fmt/format.h>

#include "nn/config/args.h"
#include "nn/training/inputs/fit_data.h"
#include "recipe/parts.h"

namespace stoker::nn {
namespace {

Config::List items_of(const Config& config) {
  return config.is_list() ? config.as_list() : Config::List{config};
}

// compile.metrics: a list for the only output, or a list of lists, one per output.
void read_metrics(const RecipeSource& source, CompileArgs& args) {
  const auto read_list = [&](const Config& config, const std::string& path) {
    Metrics metrics;
    for (const Config& item : items_of(config)) {
      metrics.emplace_back(nest_objects(item));
      source.at(path, [&] { metrics.back().check(); });
    }
    return metrics;
  };
  if (const Config* weighted = source.find("compile.weighted_metrics"))
    args.weighted_metrics = read_list(*weighted, "compile.weighted_metrics");
  const Config* config = source.find("compile.metrics");
  if (!config) return;
  const auto items = items_of(*config);
  if (items.empty() || !items[0].is_list()) {
    args.metrics = read_list(*config, "compile.metrics");
    return;
  }
  for (const Config& list : items)
    args.output_metrics.push_back(read_list(list, "compile.metrics"));
}

struct RecipeFit {
  FitArgs args;
  Config callbacks = Config::List{}, class_weight = Config::map();
  Config batch_size = args.batch_size, recompute = false;  // or "auto"
};
template <class V>
void visit(RecipeFit& fit, V& v) {
  FitArgs& a = fit.args;
  v("batch_size", fit.batch_size);
  v("epochs", a.epochs);
  v("initial_epoch", a.initial_epoch);
  v("verbose", a.verbose);
  v("callbacks", fit.callbacks);
  v("validation_split", a.validation_split);
  v("shuffle", a.shuffle);
  v("class_weight", fit.class_weight);
  v("steps_per_epoch", a.steps_per_epoch);
  v("validation_steps", a.validation_steps);
  v("validation_batch_size", a.validation_batch_size);
  v("validation_freq", a.validation_freq);
  v("recompute", fit.recompute);
}

bool is_auto(const Config& config) {
  if (!config.is_string()) return false;
  if (config.as_string() != "auto")
    throw InvalidArgument(fmt::format("\"{}\" is not understood here.", config.as_string()),
                          "a whole number of up to 18 digits, or \"auto\".");
  return true;
}

std::map<int64_t, double> read_class_weight(const Config& config) {
  std::map<int64_t, double> weights;
  for (const auto& [key, value] : config.as_map()) {
    if (key.empty() || key.size() > 9 || key.find_first_not_of("0123456789") != key.npos)
      throw InvalidArgument(fmt::format("class_weight has \"{}\", which is not a class.", key),
                            "keys are classes: {0 = 1.0, 1 = 2.5}.");
    weights[std::stoll(key)] = value.as_double();
  }
  return weights;
}

void check_ranges(const RecipeSource& source, const FitArgs& args) {
  if (const auto bad = out_of_range(args))
    source.fail(fmt::format("fit.{}", bad->key), fmt::format("fit: {} {}", bad->key, bad->what));
}

}  // namespace

CompileArgs read_compile(const RecipeSource& source) {
  source.check_keys("compile", {"optimizer", "learning_rate", "loss", "loss_weights", "metrics",
                                "weighted_metrics"});
  CompileArgs args;
  if (const Config* optimizer = source.find("compile.optimizer"))
    args.optimizer =
        source.at("compile.optimizer", [&] { return OptimizerRef(nest_objects(*optimizer)); });
  for (const Config& loss : items_of(source.get("compile.loss")))
    args.loss.push_back(source.at("compile.loss", [&] { return LossRef(nest_objects(loss)); }));
  if (const Config* weights = source.find("compile.loss_weights"))
    source.at("compile.loss_weights", [&] {
      for (const Config& weight : items_of(*weights))
        args.loss_weights.push_back(weight.as_double());
    });
  read_metrics(source, args);
  return args;
}

FitArgs read_fit(const RecipeSource& source) {
  const Config* table = source.find("fit");
  if (!table) return {};
  RecipeFit fit = source.at("fit", [&] { return read_args<RecipeFit>(*table, "fit"); });
  fit.args.batch_size = source.at("fit.batch_size", [&]() -> int64_t {
    return is_auto(fit.batch_size) ? AUTO : fit.batch_size.as_int();
  });
  fit.args.recompute = source.at("fit.recompute", [&] {
    return is_auto(fit.recompute) ? Recompute(AUTO) : Recompute(fit.recompute.as_bool());
  });
  fit.args.class_weight =
      source.at("fit.class_weight", [&] { return read_class_weight(fit.class_weight); });
  const size_t count = source.at("fit.callbacks", [&] { return fit.callbacks.as_list().size(); });
  for (size_t i = 0; i < count; ++i) {
    const Config config = nest_objects(fit.callbacks.as_list()[i]);
    fit.args.callbacks.push_back(
        source.at(fmt::format("fit.callbacks.{}", i), [&] { return make_callback(config); }));
  }
  check_ranges(source, fit.args);
  return fit.args;
}

ledger::Places places_in_recipe() {
  return {.fit = "[fit]",
          .batch_size = "fit.batch_size",
          .checkpoint = "checkpoint.save_freq",
          .callback = "fit.callbacks",
          .policy = "dtype_policy",
          .input = "[data]"};
}

}  // namespace stoker::nn
