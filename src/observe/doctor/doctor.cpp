#include "stoker/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "observe/doctor/checks.h"

namespace stoker {

using observe::Visit;

std::vector<Finding> doctor(const DoctorArgs& args) {
  Visit visit(args);
  for (auto check : {observe::check_card, observe::check_permissions,
                     observe::check_visible_devices, observe::check_cuda, observe::check_libraries,
                     observe::check_gpus, observe::check_bandwidth, observe::check_host,
                     observe::check_disk, observe::check_frameworks})
    check(visit);
  return visit.findings;
}

const char* name_of(Finding::State state) {
  return state == Finding::State::ok        ? "ok"
         : state == Finding::State::warning ? "warning"
                                            : "wrong";
}

std::string to_string(const std::vector<Finding>& findings) {
  std::string text;
  size_t warnings = 0, wrong = 0;
  for (const Finding& finding : findings) {
    text += fmt::format("{:<8} {:<20} {}\n", name_of(finding.state), finding.name, finding.text);
    if (!finding.mend.empty()) text += fmt::format("{:<8} {:<20} $ {}\n", "", "", finding.mend);
    warnings += finding.state == Finding::State::warning;
    wrong += finding.state == Finding::State::wrong;
  }
  return text + fmt::format("{} checks: {} wrong, {} warnings", findings.size(), wrong, warnings);
}

Config to_config(const std::vector<Finding>& findings) {
  Config::List list;
  for (const Finding& finding : findings)
    list.push_back(Config::map({{"name", finding.name},
                                {"state", name_of(finding.state)},
                                {"text", finding.text},
                                {"mend", finding.mend}}));
  return Config::map({{"findings", list}});
}

namespace observe {

void Visit::ok(std::string name, std::string text) {
  findings.push_back({std::move(name), Finding::State::ok, std::move(text), ""});
}
void Visit::warn(std::string name, std::string text, std::string mend) {
  findings.push_back({std::move(name), Finding::State::warning, std::move(text), std::move(mend)});
}
void Visit::wrong(std::string name, std::string text, std::string mend) {
  findings.push_back({std::move(name), Finding::State::wrong, std::move(text), std::move(mend)});
}
bool Visit::exists(const std::string& absolute) const {
  std::error_code ignored;
  return std::filesystem::exists(path(absolute), ignored);
}
std::string Visit::variable(const char* name) const {
  const char* value = std::getenv(name);
  return value ? value : "";
}
bool Visit::in_container() const {
  return exists("/.dockerenv") || exists("/run/.containerenv") ||
         !variable("KUBERNETES_SERVICE_HOST").empty();
}

}  // namespace observe
}  // namespace stoker
