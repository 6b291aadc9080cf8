#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "at_least.h"
#include "bench_case.h"
#include "bench_images.h"
#include "bench_threads.h"
#include "command.h"
#include "interrupt.h"
#include "recipe_options.h"
#include "stoker/device.h"
#include "stoker/error.h"
#include "stoker/say.h"

namespace stoker::cli {
namespace {

std::string device_by_environment() {
  const char* wanted = std::getenv("STOKER_DEVICE");
  return wanted && *wanted ? wanted : "cpu";
}

struct BenchOptions {
  std::string device = device_by_environment(), name, precision, images;
  int64_t batch = 0;
  std::vector<int64_t> threads;
  std::string device_from() const {
    return device == device_by_environment() ? "the environment variable STOKER_DEVICE"
                                             : "--device";
  }
  bool on_gpu() const { return device != "cpu" && !device.starts_with("/cpu"); }
  bool floors = false, startup = false, alone = false, unchecked = false;
};

constexpr double mib = 1024.0 * 1024;
double to_mib(int64_t bytes) { return static_cast<double>(bytes) / mib; }

// Runs one step of mlp128 and reports it immediately.
void run_startup(const Invocation& invocation) {
  Sequential model = make_bench_model("mlp128");
  const auto data = make_bench_data("mlp128", 32);
  model.fit(data.x, data.y, {.verbose = 0});
  invocation.print(Config::map({{"first_step", "done"}}), "first step done");
}

void run_floors(const Invocation& invocation) {
  const Floors floors = measure_floors();
  const double best = std::max(floors.own_gflops, floors.openblas_gflops);
  invocation.print(
      Config::map({{"sgemm_gflops", best},
                   {"stoker_sgemm_gflops", floors.own_gflops},
                   {"openblas_sgemm_gflops",
                    floors.openblas_gflops > 0 ? Config(floors.openblas_gflops) : Config()},
                   {"copy_gbps", floors.copy_gbps}}),
      fmt::format("sgemm 1024: {:.1f} GFLOP/s (OpenBLAS {:.1f}), copy {:.1f} GB/s",
                  floors.own_gflops, floors.openblas_gflops, floors.copy_gbps));
}

Config result_config(const BenchOptions& options, const BenchCase& bench_case,
                     const BenchResult& result) {
  return Config::map({{"case", bench_case.name},
                      {"device", options.device},
                      {"precision", bench_case.precision},
                      {"batch", bench_case.batch},
                      {"us", result.us},
                      {"min_us", result.min_us},
                      {"max_us", result.max_us},
                      {"steps", result.steps},
                      {"loss", number(result.loss)},
                      {"plan_mb", to_mib(result.plan_bytes)},
                      {"data_mb", to_mib(result.data_bytes)},
                      {"base_mb", to_mib(result.base_bytes)},
                      {"peak_rss_mb", to_mib(result.peak_bytes)}});
}

std::vector<BenchCase> chosen_cases(const BenchOptions& options) {
  std::vector<BenchCase> chosen;
  const bool one_wanted = options.batch > 0 && !options.name.empty();
  for (const BenchCase& known : bench_cases(options.on_gpu()))
    if ((options.name.empty() || known.name == options.name) &&
        (options.batch == 0 || known.batch == options.batch) &&
        (known.precision == options.precision || (!one_wanted && options.precision.empty())))
      chosen.push_back(known);
  if (chosen.empty() && one_wanted)
    chosen.push_back({options.name, options.batch, 64, options.precision});
  if (chosen.empty()) make_bench_model(options.name);  // the error lists the cases
  return chosen;
}

void check_losses(const BenchCase& bench_case, const std::string& device) {
  const double allowed = bench_case.precision.empty() ? 2e-2 : 5e-2;  // TF32, bfloat16
  const LossCurves curves = compare_with_cpu(bench_case, device);
  if (curves.worst() > allowed)
    throw DeviceError(
        fmt::format("{} on {}: the losses {:.4g} are {:.1e} off the CPU's {:.4g}, and {:.0e} is "
                    "allowed; not worth timing.",
                    bench_case.label(), device, fmt::join(curves.device, " "), curves.worst(),
                    fmt::join(curves.cpu, " "), allowed));
}

std::string script_above(std::filesystem::path place, const char* name) {
  std::error_code ignored;
  while (place != place.root_path()) {
    place = place.parent_path();
    if (std::filesystem::exists(place / name, ignored)) return (place / name).string();
  }
  return "";
}

// Executes bench/bench_cuda.py, which runs this program and the other frameworks case by case;
// returns if the script is not found.
void run_beside_peers() {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::string script = script_above(program, "bench/bench_cuda.py");
  if (script.empty()) {
    say(stderr,
        fmt::format("no folder above {} has bench/bench_cuda.py: only Stoker is measured.\n",
                    program.string()));
    return;
  }
  execlp("python3", "python3", script.c_str(), "--stoker", program.c_str(), nullptr);
  say(stderr, "python3 cannot be started: only Stoker is measured.\n");
}

void run_cases(const BenchOptions& options, const Invocation& invocation) {
  Config::List results;
  if (!invocation.json)
    say(stdout, fmt::format("{:<32} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "case", "us/step", "min",
                            "max", "plan MB", "peak MB"));
  for (const BenchCase& bench_case : chosen_cases(options)) {
    if (options.on_gpu() && !options.unchecked) check_losses(bench_case, options.device);
    const BenchResult result = measure(bench_case);
    if (was_interrupted()) return;
    results.push_back(result_config(options, bench_case, result));
    if (invocation.json) continue;
    say(stdout, fmt::format("{:<32} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f}\n",
                            bench_case.label(), result.us, result.min_us, result.max_us,
                            to_mib(result.base_bytes + result.data_bytes + result.plan_bytes),
                            to_mib(result.peak_bytes)));
    std::fflush(stdout);
  }
  if (invocation.json)
    invocation.print(results.size() == 1 ? results[0] : Config::map({{"results", results}}), "");
}

void run_threads(const BenchOptions& options, const Invocation& invocation) {
  if (options.on_gpu())
    throw InvalidArgument(fmt::format("--threads is for the CPU, not for {}.", options.device),
                          "leave out --device, or give --device cpu.");
  const ThreadTable table =
      measure_threads(chosen_cases(options), options.threads, !invocation.json);
  if (!invocation.json) return;
  Config::List rows;
  for (size_t i = 0; i < table.us.size(); ++i)
    for (size_t t = 0; t < table.us[i].size(); ++t)
      rows.push_back(Config::map({{"case", table.cases[i].name},
                                  {"batch", table.cases[i].batch},
                                  {"threads", table.threads[t]},
                                  {"us", table.us[i][t]}}));
  invocation.print(Config::map({{"results", rows}}), "");
}

void run_images(const BenchOptions& options, const Invocation& invocation) {
  if (options.name != "cnn128" && options.name != "resnet50")
    throw InvalidArgument(
        fmt::format("--images trains on color images{}.",
                    options.name.empty() ? " and needs a --case" : ", not " + options.name),
        "give --case resnet50 or --case cnn128.");
  for (const BenchCase& bench_case : chosen_cases(options)) {
    const ImagesResult result = measure_images(bench_case, options.images);
    invocation.print(Config::map({{"case", bench_case.name},
                                  {"batch", bench_case.batch},
                                  {"precision", bench_case.precision},
                                  {"us", result.us},
                                  {"images_per_second", result.images_per_second},
                                  {"steps", result.steps},
                                  {"account", result.account}}),
                     fmt::format("{} from image files: {} steps of {:.0f} us, {:.0f} images/s\n{}",
                                 bench_case.label(), result.steps, result.us,
                                 result.images_per_second, result.account));
  }
}

void run_bench(const BenchOptions& options, const Invocation& invocation) {
  const Device scope(required_device(options.device, options.device_from()));
  if (options.startup) return run_startup(invocation);
  if (options.floors) return run_floors(invocation);
  if (!options.threads.empty()) return run_threads(options, invocation);
  if (!options.images.empty()) return run_images(options, invocation);
  const bool whole_table = options.on_gpu() && options.name.empty() && !invocation.json;
  if (whole_table && !options.alone) run_beside_peers();
  run_cases(options, invocation);
}

}  // namespace

void add_bench(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, invocation, "bench",
                                  "measure the time of a training step of well-known networks");
  auto options = std::make_shared<BenchOptions>();
  command->add_option("--device", options->device, "the device")
      ->type_name("DEVICE")
      ->capture_default_str();
  command
      ->add_option("--case", options->name,
                   "mlp128, mlp1024x3, cnn28, cnn128, lstm, resnet50 or gpt2 (default: all)")
      ->type_name("NAME");
  command
      ->add_option("--precision", options->precision,
                   "the dtype policy, like mixed_bfloat16 (default: float32)")
      ->type_name("POLICY");
  command
      ->add_option("--batch", options->batch,
                   "number of samples in a step (default: those of make bench)")
      ->check(at_least(1));
  command
      ->add_option("--threads", options->threads,
                   "on the CPU: a table for these numbers of threads, such as 1,2,4,8 "
                   "(default: as many as there are cores)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024, "N"));
  command
      ->add_option("--images", options->images,
                   "a folder with a folder of JPEG or PNG files for each class: train resnet50 or "
                   "cnn128 from these files (default: from random numbers in memory)")
      ->check(CLI::ExistingDirectory);
  command->add_flag("--alone", options->alone, "on a GPU: do not measure the other frameworks");
  command->add_flag("--unchecked", options->unchecked,
                    "on a GPU: do not compare the losses with the CPU's first (for a profiler)");
  command->add_flag("--floors", options->floors,
                    "measure how fast this machine multiplies matrices and copies memory");
  command->add_flag("--startup", options->startup, "run one step, print a line and exit");
  command->footer("Example: stoker bench --device cpu --case mlp128 --batch 32");
  command->callback([options, &invocation] { run_bench(*options, invocation); });
}

}  // namespace stoker::cli
