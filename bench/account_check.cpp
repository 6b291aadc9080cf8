// Compares the account of a run with independent clocks: account_check [--device /gpu:0] [--only
// KIND]. For five kinds of runs it compares the sum of the parts and samples/s with an external
// clock and, under CUDA_INJECTION64_PATH=build/bench/libgpu_busy.so, the busy time with CUPTI. Then
// it measures the cost of the account itself: alternating fits with and without it.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "device/device_clock.h"
#include "stoker/io.h"
#include "stoker/stoker.h"

namespace {

using namespace stoker;
namespace fs = std::filesystem;

constexpr double seconds_of_a_run = 1.5;
constexpr int64_t count = 16384, batch = 32;
std::string device_name = "/cpu:0";

// Not the clock that the account uses, and read outside of the run.
double outside_clock() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// What CUPTI saw since the last call, in seconds; negative: nobody traces.
double busy_by_cupti() {
  static const auto ask = []() -> uint64_t (*)() {
    const char* const path = std::getenv("CUDA_INJECTION64_PATH");
    void* const library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    return library ? reinterpret_cast<uint64_t (*)()>(dlsym(library, "gpu_busy_nanoseconds"))
                   : nullptr;
  }();
  return ask ? static_cast<double>(ask()) * 1e-9 : -1;
}

Array noise(const Shape& shape) {
  Array values(DType::float32, shape);
  uint64_t state = 1;
  for (float& value : values.mutable_data<float>())
    value = static_cast<float>((state = state * 6364136223846793005U + 1) >> 40) * 0x1p-24F;
  return values;
}
Array labels() {
  Array values(DType::int32, {count});
  int32_t next = 0;
  for (int32_t& value : values.mutable_data<int32_t>()) value = next++ % 10;
  return values;
}
const Array& x() {
  static const Array all = noise({count, 784});
  return all;
}
const Array& y() {
  static const Array all = labels();
  return all;
}

Sequential mlp128() {
  using namespace layers;
  set_random_seed(1);
  Sequential model({Input({.shape = {784}}), Dense({.units = 128, .activation = "relu"}),
                    Dense({.units = 10, .activation = "softmax"})});
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  return model;
}

struct Check {
  std::string kind;
  Account account;
  double wall = 0, cupti = -1;
  double samples_per_second = 0;  // by the clock outside
};

double percent(double of, double to) { return to > 0 ? 100 * (of / to - 1) : 0; }

double sum_of_parts(const Account& account) {
  double sum = 0;
  for (const auto& part : account.parts) sum += part.seconds;
  return sum;
}
double part_of(const Account& account, const char* cause) {
  for (const auto& part : account.parts)
    if (part.cause == cause) return part.seconds;
  return 0;
}

void print(const Check& check) {
  const Account& account = check.account;
  const double sum = sum_of_parts(account);
  fmt::print("{:<22} {:>8.3f} {:>9.3f} {:>+7.2f} % {:>12.0f} {:>12.0f} {:>+7.2f} % {:>6.1f} %",
             check.kind, check.wall, sum, percent(sum, check.wall), account.samples_per_second,
             check.samples_per_second,
             percent(account.samples_per_second, check.samples_per_second),
             100 * account.busy / account.wall);
  if (check.cupti >= 0) fmt::print(" {:>6.1f} %", 100 * check.cupti / account.wall);
  fmt::print("  own cost {:.3f} %, unexplained {:.3f} %\n",
             100 * part_of(account, "own cost") / account.wall,
             100 * part_of(account, "unexplained") / account.wall);
  std::fflush(stdout);
}

// Runs once to compile and to see how often it fits into the time, then with the clock outside.
Check check(const char* kind, const std::function<Account(int64_t times)>& run) {
  run(1);
  const double begin = outside_clock();
  run(1);
  const double once = std::max(outside_clock() - begin, 1e-4);
  const auto times = static_cast<int64_t>(std::clamp(seconds_of_a_run / once, 1.0, 1e4));
  busy_by_cupti();
  Check result{.kind = kind};
  const double start = outside_clock();
  result.account = run(times);
  result.wall = outside_clock() - start;
  result.cupti = busy_by_cupti();
  result.samples_per_second = static_cast<double>(result.account.samples) / result.wall;
  return result;
}

Check fit_on_arrays() {
  Sequential model = mlp128();
  return check("fit, arrays", [&](int64_t epochs) {
    model.fit(x(), y(), {.batch_size = batch, .epochs = epochs, .verbose = 0});
    return model.account_data();
  });
}

Check fit_on_a_dataset() {
  Sequential model = mlp128();
  const auto half = [](const Array& image, const Array& label) {
    Array scaled = image.clone();
    for (float& value : scaled.mutable_data<float>()) value *= 0.5F;
    return std::pair(scaled, label);
  };
  const Dataset batches = Dataset::from_tensor_slices({x(), y()}).map(half).batch(batch);
  return check("fit, dataset", [&](int64_t epochs) {
    model.fit(batches, {.epochs = epochs, .verbose = 0});
    return model.account_data();
  });
}

// One call has one account: so many samples that it takes a while.
Array many(int64_t times) { return noise({count * std::min<int64_t>(times, 16), 784}); }

Check evaluating() {
  Sequential model = mlp128();
  const Array images = many(8);
  Array classes(DType::int32, {images.length()});
  return check("evaluate", [&](int64_t) {
    model.evaluate(images, classes, {.batch_size = batch, .verbose = 0});
    return model.account_data();
  });
}
Check predicting() {
  Sequential model = mlp128();
  const Array images = many(8);
  return check("predict", [&](int64_t) {
    model.predict(images, {.batch_size = batch});
    return model.account_data();
  });
}

Check own_loop() {
  Sequential model = mlp128();
  const Dataset batches = Dataset::from_tensor_slices({x(), y()}).batch(batch).prefetch(4);
  return check("user-defined loop", [&](int64_t epochs) {
    const AccountScope scope;
    for (int64_t epoch = 0; epoch < epochs; ++epoch)
      for (const auto& [images, classes] : batches) model.train_on_batch(images, classes);
    return scope.account();
  });
}

// A run of the program in a process of its own: two lengths, so that its start and end cancel out
// by the clock outside. The account's wall time is that of the fit alone.
class Program {
 public:
  Program() {
    fs::create_directories(folder_);
    save_npy(folder_ / "x.npy", x());
    save_npy(folder_ / "y.npy", y());
    std::ofstream(folder_ / "recipe.toml") << fmt::format(
        "device = \"{0}\"\n[model]\nlayers = [{{class_name = \"Input\", shape = [784]}}, "
        "{{class_name "
        "= \"Dense\", units = 128, activation = \"relu\"}}, {{class_name = \"Dense\", units = 10, "
        "activation = \"softmax\"}}]\n[compile]\noptimizer = \"adam\"\nloss = "
        "\"sparse_categorical_crossentropy\"\n[data.train]\nx = \"{1}/x.npy\"\ny = \"{1}/y.npy\"\n"
        "[fit]\nbatch_size = {2}\n[output]\nfolder = \"{1}/run\"\n",
        device_name, folder_.string(), batch);
  }
  ~Program() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Check run() {
    double once = 0;
    train(4, once);
    const Config first = train(1, once);
    const auto epochs =
        static_cast<int64_t>(std::clamp(seconds_of_a_run / number(first, "wall"), 4.0, 2000.0));
    double few = 0, many = 0;
    train(epochs, few);
    const Config account = train(4 * epochs, many);
    Check result{.kind = "recipe, the program"};
    Account& of = result.account;
    of.wall = number(account, "wall");
    of.busy = number(account, "busy");
    of.samples_per_second = number(account, "samples_per_second");
    for (const Config& part : account.find("parts")->as_list())
      of.parts.push_back({part.find("cause")->as_string(), number(part, "seconds")});
    result.wall = of.wall;  // the program's own: it alone knows where the fit began
    result.samples_per_second = static_cast<double>(3 * epochs * count) / (many - few);
    return result;
  }

 private:
  static double number(const Config& of, const char* key) { return of.find(key)->as_double(); }
  Config train(int64_t epochs, double& wall) const {
    const std::string program =
        (fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "stoker").string();
    const double begin = outside_clock();
    const int status =
        std::system(fmt::format("{} train {}/recipe.toml --quiet --epochs {} >/dev/null", program,
                                folder_.string(), epochs)
                        .c_str());
    wall = outside_clock() - begin;
    if (status != 0) throw InvalidArgument(fmt::format("{} train ended with {}.", program, status));
    return *load_json((folder_ / "run" / "run.json").string()).find("account");
  }
  const fs::path folder_ = fs::temp_directory_path() / fmt::format("account_check_{}", getpid());
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// What the threads of this program worked: other programs on the machine do not change it.
double worked() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Turns {
  std::vector<double> with, without, ratio;
  void add(double one, double other) {
    with.push_back(one);
    without.push_back(other);
    ratio.push_back(one / other);
  }
  void print(const char* of) const {
    fmt::print(
        "own cost, {}: with {:.4f} s, without {:.4f} s (medians of {} alternating runs); the "
        "median of the pairs {:+.2f} %\n",
        of, median(with), median(without), ratio.size(), 100 * (median(ratio) - 1));
  }
};

// With a clock that stands still and no time stamps of the device, nothing is measured.
void own_cost() {
  Sequential model = mlp128();
  const auto fit = [&](int64_t epochs) {
    model.fit(x(), y(), {.batch_size = batch, .epochs = epochs, .verbose = 0});
  };
  fit(2);
  const auto epochs = static_cast<int64_t>(
      std::clamp(0.4 / (model.account_data().step_seconds * count / batch), 1.0, 1e4));
  const auto timed = [&] {
    const double begin = outside_clock(), work = worked();
    fit(epochs);
    return std::pair(outside_clock() - begin, worked() - work);
  };
  Turns wall, work;
  for (int round = 0; round < 15; ++round) {
    const auto [wall_with, work_with] = timed();
    const auto clock = ledger::clock.exchange([] { return ledger::Time{0}; });
    device::DeviceClock::enabled = false;
    const auto [wall_without, work_without] = timed();
    ledger::clock = clock;
    device::DeviceClock::enabled = true;
    wall.add(wall_with, wall_without);
    work.add(work_with, work_without);
  }
  wall.print("by the clock");
  work.print("in the threads' work");
}

int run(const std::string& only) {
  const Device scope(device_name);
  const std::pair<const char*, std::function<Check()>> kinds[] = {
      {"arrays", fit_on_arrays}, {"dataset", fit_on_a_dataset},
      {"evaluate", evaluating},  {"predict", predicting},
      {"loop", own_loop},        {"program", [] { return Program().run(); }}};
  fmt::print("{:<22} {:>8} {:>9} {:>9} {:>12} {:>12} {:>9} {:>8} {:>8}\n", "run", "clock s",
             "parts s", "", "samples/s", "by the clock", "", "busy", "CUPTI");
  for (const auto& [name, make] : kinds)
    if (only.empty() || only == name) print(make());
  if (only.empty() || only == "cost") own_cost();
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--device")
      device_name = argv[i + 1];
    else if (option == "--only")
      only = argv[i + 1];
    else
      throw InvalidArgument(fmt::format("\"{}\" is no option.", option));
  }
  return run(only);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
