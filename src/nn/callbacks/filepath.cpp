#include "nn/callbacks/filepath.h"

#include <fmt/format.h>

#include "stoker/error.h"
#include "stoker/suggest.h"

namespace stoker::nn {
namespace {

struct Values {
  int64_t epoch, batch;
  const Logs& logs;

  std::string format(const std::string& name, const std::string& spec) const {
    const std::string field = spec.empty() ? "{}" : "{:" + spec + "}";
    if (name == "epoch") return fmt::format(fmt::runtime(field), epoch);
    if (name == "batch") return fmt::format(fmt::runtime(field), batch);
    if (const double* value = logs.find(name)) return fmt::format(fmt::runtime(field), *value);
    std::vector<std::string> known = {"epoch", "batch"};
    for (const auto& [metric, value] : logs) known.push_back(metric);
    throw InvalidArgument(fmt::format("there is no \"{}\".", name), did_you_mean(name, known));
  }
};

}  // namespace

std::string format_filepath(const std::string& pattern, int64_t epoch, int64_t batch,
                            const Logs& logs) {
  const Values values{epoch, batch, logs};
  std::string path;
  size_t at = 0;
  try {
    for (size_t open; (open = pattern.find('{', at)) != pattern.npos;) {
      const size_t close = pattern.find('}', open);
      if (close == pattern.npos) throw InvalidArgument("a { has no }.");
      const std::string field = pattern.substr(open + 1, close - open - 1);
      const size_t colon = field.find(':');
      path +=
          pattern.substr(at, open - at) +
          values.format(field.substr(0, colon), colon == field.npos ? "" : field.substr(colon + 1));
      at = close + 1;
    }
  } catch (const fmt::format_error& error) {
    throw InvalidArgument(fmt::format("ModelCheckpoint: filepath \"{}\" has a bad format: {}.",
                                      pattern, error.what()));
  } catch (Error& error) {
    error.add_where(fmt::format("ModelCheckpoint's filepath \"{}\"", pattern));
    throw;
  }
  return path + pattern.substr(at);
}

}  // namespace stoker::nn
