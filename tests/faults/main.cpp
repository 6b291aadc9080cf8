// Plants one fault at a time in a run that is otherwise well fed, checks which cause the account
// names first, fixes the fault, and compares the predicted gain with the measured one.
//   faults [--device /gpu:0] [--only NAME,NAME] [--repeat N] [--json FILE] [--list]
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "faults/fault.h"

namespace stoker::faults {
namespace {

struct Options {
  std::string device = "/cpu:0", json, only;
  int repeat = 1;
  bool list = false;  // the names, and no run
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc;) {
    const std::string name = argv[i++];
    if (name == "--list") {
      options.list = true;
      continue;
    }
    if (i == argc) throw InvalidArgument(fmt::format("{} has no value.", name));
    const std::string value = argv[i++];
    if (name == "--device")
      options.device = value;
    else if (name == "--json")
      options.json = value;
    else if (name == "--only")
      options.only = value;
    else if (name == "--repeat")
      options.repeat = std::stoi(value);
    else
      throw InvalidArgument(fmt::format("\"{}\" is no option.", name));
  }
  return options;
}

bool wanted(const Fault& fault, const Options& options) {
  if (!(on_gpu ? fault.on_gpu : fault.on_cpu)) return false;
  return options.only.empty() || options.only.find(fault.name) != std::string::npos;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

double error_of(const Result& result) {
  return std::abs(result.predicted_gain / result.measured_gain - 1);
}

double gain_of(const Advice& advice) {
  return advice.step_then > 0 ? advice.step_now / advice.step_then : 1;
}

// A cause that takes as much of the fixed run was not planted, such as another program on the
// cores.
bool is_planted(const Advice& advice, const Account& mended) {
  const auto stays = std::ranges::find(mended.advice, advice.cause, &Advice::cause);
  return stays == mended.advice.end() || gain_of(*stays) - 1 < (gain_of(advice) - 1) / 2;
}
const Advice* first_of(const Account& faulty, const Account& mended) {
  for (const Advice& advice : faulty.advice)
    if (is_planted(advice, mended)) return &advice;
  return nullptr;
}

Result try_out(const Fault& fault, const Options& options) try {
  Result result{.fault = fault.name, .device = options.device, .note = fault.instead};
  if (!result.note.empty()) return result;
  std::vector<double> predicted, measured;
  int found = 0;
  for (int i = 0; i < options.repeat; ++i) {
    const Run faulty = fault.faulty(), mended = fault.mended();
    result.runs.push_back(Config::map(
        {{"faulty", to_config(faulty.account)}, {"mended", to_config(mended.account)}}));
    if (mended.step > 0) measured.push_back(faulty.step / mended.step);
    const Advice* first = first_of(faulty.account, mended.account);
    result.verdict = first ? first->sentence : faulty.account.verdict;
    if (!first) continue;
    result.named = first->cause;
    found += std::ranges::find(fault.causes, first->cause) != fault.causes.end();
    if (first->step_then > 0) predicted.push_back(first->step_now / first->step_then);
  }
  result.predicted_gain = median(predicted);
  result.measured_gain = median(measured);
  result.found = 2 * found > options.repeat;
  return result;
} catch (const Error& error) {  // the others are tried all the same
  return {.fault = fault.name, .device = options.device, .verdict = error.what()};
}

void print(const Result& result) {
  fmt::print("{:<28} {:<7} {:<14} {:>9.2f} {:>9.2f}", result.fault, result.device,
             result.named.empty() ? "-" : result.named, result.predicted_gain,
             result.measured_gain);
  if (!result.note.empty())
    fmt::print("        {}\n", result.note);
  else
    fmt::print(" {:>6.0f} %  {}{}\n", 100 * error_of(result),
               result.found ? "" : "NOT FOUND: ", result.verdict);
  std::fflush(stdout);
}

void write_json(const std::vector<Result>& results, const std::string& path) {
  Config::List list;
  for (const Result& result : results)
    list.push_back(Config::map({{"fault", result.fault},
                                {"device", result.device},
                                {"named", result.named},
                                {"found", result.found},
                                {"predicted_gain", result.predicted_gain},
                                {"measured_gain", result.measured_gain},
                                {"verdict", result.verdict},
                                {"note", result.note},
                                {"runs", result.runs}}));
  std::ofstream(path) << Config(list).to_string() << "\n";
}

// For the fault of another process: runs until it is terminated.
[[noreturn]] void keep_gpu_busy() {
  Sequential model = classifier(4096);
  const Samples data = samples(4096);
  for (;;) model.fit(data.x, data.y, {.batch_size = 2048, .epochs = 100, .verbose = 0});
}

void summarize(const std::vector<Result>& results) {
  std::vector<double> errors;
  int found = 0, counted = 0;
  for (const Result& result : results) {
    if (!result.note.empty()) continue;
    ++counted;
    found += result.found;
    if (result.predicted_gain > 0 && result.measured_gain > 0) errors.push_back(error_of(result));
  }
  fmt::print("{} of {} named first; median error of the prediction {:.0f} %\n", found, counted,
             100 * median(errors));
}

std::vector<Fault> all_faults() {
  std::vector<Fault> all;
  for (auto group : {input_faults, loop_faults, device_faults, machine_faults})
    for (Fault& fault : group()) all.push_back(std::move(fault));
  return all;
}

int run(const Options& options) {
  on_gpu = options.device.find("gpu") != std::string::npos;
  if (options.list) {
    for (const Fault& fault : all_faults())
      if (wanted(fault, options)) fmt::print("{}\n", fault.name);
    return 0;
  }
  const Device scope(options.device);
  std::vector<Result> results;
  fmt::print("{:<28} {:<7} {:<14} {:>9} {:>9} {:>8}\n", "fault", "device", "named", "predicted",
             "measured", "error");
  for (const Fault& fault : all_faults())
    if (wanted(fault, options)) {
      results.push_back(try_out(fault, options));
      print(results.back());
      if (!options.json.empty())
        write_json(results, options.json);  // in case it is terminated early
    }
  summarize(results);
  return 0;
}

}  // namespace
}  // namespace stoker::faults

int main(int argc, char** argv) try {
  if (argc > 1 && std::strcmp(argv[1], "--keep-gpu-busy") == 0) stoker::faults::keep_gpu_busy();
  return stoker::faults::run(stoker::faults::parse(argc, argv));
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
