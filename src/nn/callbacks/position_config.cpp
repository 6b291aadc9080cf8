#include "nn/callbacks/position_config.h"

#include <fmt/format.h>

namespace stoker::nn {
namespace {

const Config& need(const Config& config, const char* key) {
  if (const Config* found = config.find(key)) return *found;
  throw InvalidArgument(fmt::format("the checkpoint's position has no \"{}\".", key));
}

Config config_of(const History& history) {
  Config values = Config::map();
  for (const auto& [name, numbers] : history.history)
    values[name] = Config::List(numbers.begin(), numbers.end());
  return Config::map(
      {{"epoch", Config::List(history.epoch.begin(), history.epoch.end())}, {"history", values}});
}

History history_of(const Config& config) {
  History history;
  for (const Config& epoch : need(config, "epoch").as_list())
    history.epoch.push_back(epoch.as_int());
  for (const auto& [name, numbers] : need(config, "history").as_map()) {
    auto& values = history.history.emplace_back(name, std::vector<double>()).second;
    for (const Config& number : numbers.as_list()) values.push_back(number.as_double());
  }
  return history;
}

}  // namespace

Config to_config(const FitPosition& at) {
  Config callbacks = Config::map();
  for (const auto& [name, state] : at.callbacks) callbacks[name] = state.values;
  return Config::map({{"seed", static_cast<int64_t>(at.seed)},
                      {"epoch", at.epoch},
                      {"batch", at.batch},
                      {"pass", at.pass},
                      {"batches_seen", at.batches_seen},
                      {"feed", at.feed},
                      {"history", config_of(at.history)},
                      {"callbacks", callbacks}});
}

FitPosition position_of(const Config& config) {
  const auto number = [&](const char* key) { return need(config, key).as_int(); };
  FitPosition at{.seed = static_cast<uint64_t>(number("seed")),
                 .epoch = number("epoch"),
                 .batch = number("batch"),
                 .pass = number("pass"),
                 .feed = need(config, "feed"),
                 .history = history_of(need(config, "history"))};
  if (const Config* seen = config.find("batches_seen")) at.batches_seen = seen->as_int();
  for (const auto& [name, values] : need(config, "callbacks").as_map())
    at.callbacks[name].values = values;
  return at;
}

}  // namespace stoker::nn
