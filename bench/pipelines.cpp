// The tuner against every static setting on eight pipelines, and fit over a dataset of slices
// against fit over arrays: pipelines [SECONDS [NAME]], only the pipelines that have this in their
// names. A rate is the median of several runs that take turns with those that they are compared
// with.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "stoker/stoker.h"

namespace {

using namespace stoker;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
// So many rounds take a microsecond of a core that nobody else uses.
double rounds_of_a_microsecond = 0;
void spend(double rounds) {
  volatile double x = 1;
  for (double i = 0; i < rounds; ++i) x = x * 1.0000001;
}
void calibrate() {
  double best = 1;
  for (int i = 0; i < 20; ++i) {
    const double begun = now();
    spend(1e6);
    best = std::min(best, now() - begun);
  }
  rounds_of_a_microsecond = 1 / best;
}
void work_for(double microseconds) { spend(microseconds * rounds_of_a_microsecond); }
void sleep_for(double microseconds) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(microseconds));
}

struct Static {
  int64_t calls = AUTOTUNE, ahead = AUTOTUNE;
};

// A source, what a map does with an element, and what the consumer does with a batch.
struct Pipeline {
  const char* name;
  bool in_turn;  // elements have no numbers
  int64_t batch;
  std::function<void(int64_t)> map, consume;
};

const Array& table() {
  static const Array rows(DType::float32, {20000, 64});
  return rows;
}

Dataset built(const Pipeline& pipeline, const Static& with) {
  Dataset dataset = Dataset::from_tensor_slices(table()).repeat();
  if (pipeline.in_turn) dataset = dataset.filter([](const Element&) { return true; });
  return dataset
      .map(
          [map = pipeline.map](const Array& x) {
            map(static_cast<int64_t>(reinterpret_cast<uintptr_t>(x.raw()) / 256));
            return x;
          },
          {.num_parallel_calls = with.calls})
      .batch(pipeline.batch)
      .prefetch(with.ahead);
}

struct Measured {
  double rate = 0;  // elements per second, after a while to get going
  PipelineStatistics statistics;
};
Measured measured(const Pipeline& pipeline, const Static& with, double before, double seconds) {
  const double begun = now();
  double since = 0;
  int64_t elements = 0;
  const Dataset dataset = built(pipeline, with);
  for (const Element& batch : dataset) {
    pipeline.consume(0);
    if (since == 0) {
      if (now() - begun > before) since = now();
      continue;
    }
    elements += batch.arrays()[0].length();
    if (now() - since > seconds) break;
  }
  return {static_cast<double>(elements) / (now() - since), dataset.statistics()};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A first look at all settings; the three best of them then take turns with each other.
Static best_static(const Pipeline& pipeline, double seconds) {
  std::vector<std::pair<double, Static>> found;
  for (const int64_t calls : {1, 2, 4, 8})
    for (const int64_t ahead : {1, 2, 8})
      found.emplace_back(measured(pipeline, {calls, ahead}, 0.1, seconds).rate,
                         Static{calls, ahead});
  const auto better = [](const auto& a, const auto& b) { return a.first > b.first; };
  std::sort(found.begin(), found.end(), better);
  found.resize(3);
  std::vector<std::vector<double>> rates(found.size());
  for (int round = 0; round < 5; ++round)
    for (size_t i = 0; i < found.size(); ++i)
      rates[i].push_back(measured(pipeline, found[i].second, 0.1, seconds).rate);
  for (size_t i = 0; i < found.size(); ++i) found[i].first = median(rates[i]);
  return std::min_element(found.begin(), found.end(), better)->second;
}

void compare(const Pipeline& pipeline, double seconds) {
  const Static best = best_static(pipeline, seconds);
  std::vector<double> tuned, fixed;
  PipelineStatistics statistics;
  for (int round = 0; round < 7; ++round) {
    const Measured automatic = measured(pipeline, {}, 1.5, seconds);
    statistics = automatic.statistics;
    tuned.push_back(automatic.rate);
    fixed.push_back(measured(pipeline, best, 1.5, seconds).rate);
  }
  fmt::print("{:<34} {:>9.0f} {:>9.0f} {:>6.3f}   calls {} ahead {}\n", pipeline.name,
             median(tuned), median(fixed), median(tuned) / median(fixed), best.calls, best.ahead);
  for (const TunerDecision& made : statistics.decisions)
    fmt::print("    {:5.2f} s {}: {} {} -> {}: {}\n", made.seconds, made.stage, made.setting,
               made.from, made.to, made.why);
  std::fflush(stdout);
}

const auto nothing = [](int64_t) {};
auto works(double microseconds) {
  return [=](int64_t) { work_for(microseconds); };
}
auto sleeps(double microseconds) {
  return [=](int64_t) { sleep_for(microseconds); };
}
// Now and then an element takes ten times as long.
auto works_unevenly(double microseconds) {
  return [=](int64_t i) { work_for(i % 16 == 0 ? 10 * microseconds : microseconds); };
}

void compare_pipelines(double seconds, const std::string& only) {
  fmt::print("{:<34} {:>9} {:>9} {:>6}\n", "elements/s", "tuned", "static", "ratio");
  for (const Pipeline& pipeline : std::vector<Pipeline>{
           {"map 20 us", false, 32, works(20), nothing},
           {"map 20 us, in turn", true, 32, works(20), nothing},
           {"map 200 us uneven", false, 16, works_unevenly(200), nothing},
           {"map 200 us uneven, in turn", true, 16, works_unevenly(200), nothing},
           {"map that waits 1 ms", false, 32, sleeps(1000), nothing},
           {"map that waits 1 ms, in turn", true, 32, sleeps(1000), nothing},
           {"map 50 us, consumer 2 ms", true, 32, works(50), sleeps(2000)},
           {"map 2 us, in turn, consumer 1 ms", true, 64, works(2), sleeps(1000)}})
    if (std::string(pipeline.name).find(only) != std::string::npos) compare(pipeline, seconds);
}

Sequential classifier() {
  Sequential model(
      {layers::Dense({.units = 64, .activation = "relu"}), layers::Dense({.units = 10})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  return model;
}

void compare_fits() {
  const Array x(DType::float32, {60000, 784}), y(DType::float32, {60000, 10});
  std::vector<double> arrays, slices;
  auto model = classifier();
  const auto dataset = Dataset::from_tensor_slices({x, y}).shuffle(60000).batch(64);
  const auto seconds = [](const std::function<void()>& run) {
    const double begun = now();
    run();
    return now() - begun;
  };
  for (int round = 0; round < 7; ++round) {
    arrays.push_back(
        seconds([&] { model.fit(x, y, {.batch_size = 64, .epochs = 3, .verbose = 0}); }));
    slices.push_back(seconds([&] { model.fit(dataset, {.epochs = 3, .verbose = 0}); }));
  }
  fmt::print("fit(x, y) {:.3f} s, fit(dataset) {:.3f} s: ratio {:.3f}\n", median(arrays),
             median(slices), median(arrays) / median(slices));
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 1;
  calibrate();
  const std::string only = count > 2 ? arguments[2] : "";
  if (only.empty()) compare_fits();
  compare_pipelines(seconds, only);
}
