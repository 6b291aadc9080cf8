#include <map>

#include "core/text/valid_text.h"
#include "io/atomic_file.h"
#include "stoker/run_record.h"

namespace stoker {
namespace report {
namespace {

Config event(const char* phase, const std::string& name, int64_t thread, Config::Map more) {
  Config::Map map{{"ph", phase}, {"name", valid_text(name)}, {"pid", 1}, {"tid", thread}};
  for (Config::Member& member : more) map.push_back(std::move(member));
  return Config::map(std::move(map));
}

Config named(const char* what, int64_t thread, const std::string& name) {
  return event("M", what, thread, {{"args", Config::map({{"name", valid_text(name)}})}});
}

}  // namespace
}  // namespace report

std::string to_trace(const RunRecord& run) {
  Config::List events{report::named("process_name", 0, run.name)};
  std::map<std::string, int64_t> lanes;
  for (const RunRecord::Span& span : run.timeline.spans) {
    const auto [lane, added] = lanes.try_emplace(span.lane, static_cast<int64_t>(lanes.size()) + 1);
    if (added) events.push_back(report::named("thread_name", lane->second, span.lane));
    events.push_back(report::event(
        "X", span.name, lane->second,
        {{"ts", span.begin * 1e6}, {"dur", (span.end - span.begin) * 1e6}, {"cat", span.lane}}));
  }
  return Config::map({{"displayTimeUnit", "ms"}, {"traceEvents", events}}).to_string() + "\n";
}

void save_trace(const std::string& path, const RunRecord& run) { write_file(path, to_trace(run)); }

}  // namespace stoker
