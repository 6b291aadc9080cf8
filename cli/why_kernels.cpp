#include "why_kernels.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "stoker/error.h"
#include "stoker/io.h"

namespace stoker::cli {
namespace {

namespace fs = std::filesystem;

double number_of(const Config& window, const char* name) {
  const Config* found = window.find(name);
  return found && found->is_number() ? found->as_double() : 0;
}

constexpr const char* sums[] = {"seconds", "kernels",      "kernel_seconds", "busy_seconds",
                                "copies",  "copy_seconds", "copied_bytes",   "pageable_bytes",
                                "dropped", "without_time"};

// The kernels of all windows, longest first.
Config longest_of(const Config::List& windows) {
  std::map<std::string, std::pair<double, double>> totals;
  for (const Config& window : windows)
    if (const Config* longest = window.find("longest"); longest && longest->is_list())
      for (const Config& kernel : longest->as_list())
        if (const Config* name = kernel.find("name"); name && name->is_string()) {
          totals[name->as_string()].first += number_of(kernel, "seconds");
          totals[name->as_string()].second += number_of(kernel, "count");
        }
  std::vector<std::pair<std::string, std::pair<double, double>>> sorted(totals.begin(),
                                                                        totals.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  Config::List list;
  for (const auto& [name, total] : sorted)
    list.push_back(
        Config::map({{"name", name}, {"seconds", total.first}, {"count", total.second}}));
  return list;
}

// From the window with most kernels: medians cannot be added.
double typical(const Config::List& windows, const char* name) {
  const auto most = std::ranges::max_element(
      windows, {}, [](const Config& window) { return number_of(window, "kernels"); });
  return most == windows.end() ? 0 : number_of(*most, name);
}

std::string microseconds(double seconds) { return fmt::format("{:.1f} us", seconds * 1e6); }

}  // namespace

KernelWindows::KernelWindows() {
  library_ = (fs::read_symlink("/proc/self/exe").parent_path() / "libstoker-inject.so").string();
  if (!fs::exists(library_))
    throw Unsupported(fmt::format("--kernels: there is no \"{}\".", library_),
                      "it is built where the CUDA toolkit with CUPTI is found (make cuda).");
  file_ = (fs::temp_directory_path() / fmt::format("stoker_kernels_{}.jsonl", ::getpid())).string();
  std::error_code ignored;
  fs::remove(file_, ignored);
}

KernelWindows::~KernelWindows() {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

std::vector<std::string> KernelWindows::variables() const {
  return {"CUDA_INJECTION64_PATH=" + library_, "STOKER_INJECT_FILE=" + file_};
}

Config KernelWindows::to_config() const {
  std::ifstream file(file_, std::ios::binary);
  return sum_windows({std::istreambuf_iterator<char>(file), {}});
}

Config sum_windows(const std::string& lines) {
  Config::List windows;
  std::string refused;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) try {
      const Config window = parse_json(line);
      const Config* why = window.find("refused");
      if (why && why->is_string())
        refused = why->as_string();
      else if (window.is_map())
        windows.push_back(window);
    } catch (const Error&) {  // truncated when the command ended
    }
  Config found =
      Config::map({{"windows", static_cast<int64_t>(windows.size())}, {"refused", refused}});
  for (const char* name : sums) {
    double sum = 0;
    for (const Config& window : windows) sum += number_of(window, name);
    found[name] = sum;
  }
  found["median_kernel"] = typical(windows, "median_kernel");
  found["median_gap"] = typical(windows, "median_gap");
  found["longest"] = longest_of(windows);
  return found;
}

std::string KernelWindows::to_text(const Config& found) {
  const auto number = [&](const char* name) { return number_of(found, name); };
  const double seconds = number("seconds");
  const std::string& refused = found.find("refused")->as_string();
  if (!refused.empty() && seconds == 0) return fmt::format("KERNELS   not traced: {}", refused);
  if (seconds == 0)
    return "KERNELS   not traced: the command ended, or used no GPU, before the first window "
           "(after 5 s).";
  std::string text = fmt::format(
      "KERNELS   {} window{} of {:.1f} s, traced by CUPTI: a kernel ran {:.1f} % of the time, "
      "{:.0f} "
      "kernels a second, in the median of {} with {} between them; copies {:.1f} %",
      found.find("windows")->as_int(), found.find("windows")->as_int() == 1 ? "" : "s",
      seconds / number("windows"), 100 * number("kernel_seconds") / seconds,
      number("kernels") / seconds, microseconds(number("median_kernel")),
      microseconds(number("median_gap")), 100 * number("copy_seconds") / seconds);
  if (number("pageable_bytes") > 0)
    text += fmt::format(", {:.0f} % of their bytes from or to pageable memory",
                        100 * number("pageable_bytes") / number("copied_bytes"));
  if (number("dropped") > 0)
    text += fmt::format("; {:.0f} records were dropped", number("dropped"));
  if (!refused.empty()) text += fmt::format("; not traced all the time: {}", refused);
  for (const Config& kernel : found.find("longest")->as_list())
    text += fmt::format("\n  {:5.1f} %  {} x {:.0f}", 100 * number_of(kernel, "seconds") / seconds,
                        kernel.find("name")->as_string(), number_of(kernel, "count"));
  return text;
}

}  // namespace stoker::cli
