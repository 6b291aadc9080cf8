// Compares the tuner with the best static settings, found by search, on eight pipelines of
// different kinds: tuner [--json FILE] [NAME]; NAME selects the pipelines whose names contain it.
// Rates are medians of alternating runs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "core/thread_pool.h"
#include "io/images/codecs/png_writer.h"
#include "stoker/stoker.h"

namespace {

using namespace stoker;

constexpr double start_up = 0.1, glance = 0.15, look = 0.25, warm_up = 1.5;  // seconds
constexpr int rounds = 5;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The number of rounds that take a microsecond on an otherwise idle core.
double rounds_of_a_microsecond = 0;
void spend(double many) {
  volatile double x = 1;
  for (double i = 0; i < many; ++i) x = x * 1.0000001;
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

// One number for each setting that is left to AUTOTUNE: calls of the maps in their order, then
// elements ahead of the consumer.
using Settings = std::vector<int64_t>;

struct Pipeline {
  const char* name;
  size_t maps;
  std::function<Dataset(const Settings&)> build;
  double consumer_us = 0;  // that it spends with a batch
  Settings automatic() const { return Settings(maps + 1, AUTOTUNE); }
};

// --- what the pipelines are made of

Dataset numbered() {
  static const Array rows(DType::float32, {20000, 64});
  return Dataset::from_tensor_slices(rows).repeat();
}
Dataset in_turn() {  // without numbers
  return numbered().filter([](const Element&) { return true; });
}

template <class Work>
Dataset mapped(const Dataset& before, Work work, int64_t calls) {
  const auto function = [work](const Array& x) {
    work(static_cast<int64_t>(reinterpret_cast<uintptr_t>(x.raw()) / 256));
    return x;
  };
  return before.map(function, {.num_parallel_calls = calls});
}

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

// A folder of files that is removed at the end.
class Files {
 public:
  Files() : folder_(std::filesystem::temp_directory_path() / fmt::format("tuner-{}", getpid())) {
    std::filesystem::create_directories(folder_);
    write_images();
    write_lines();
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::string images() const { return folder_ / "*.png"; }
  std::string lines() const { return folder_ / "lines.csv"; }

 private:
  void write_images() const {
    for (int i = 0; i < 64; ++i) {
      Array image(DType::uint8, {120, 160, 3});
      const auto pixels = image.mutable_data<uint8_t>();
      for (size_t p = 0; p < pixels.size(); ++p)
        pixels[p] = static_cast<uint8_t>(p / 3 % 160 + p / 480 + (p * 2654435761u >> 28));
      const std::vector<std::byte> png = images::encode_png(image);
      std::ofstream(folder_ / fmt::format("{}.png", i), std::ios::binary)
          .write(reinterpret_cast<const char*>(png.data()),
                 static_cast<std::streamsize>(png.size()));
    }
  }
  void write_lines() const {
    std::ofstream file(lines());
    for (int line = 0; line < 100000; ++line) {
      for (int column = 0; column < 15; ++column) file << line * 0.37 + column << ',';
      file << line % 10 << '\n';
    }
  }
  std::filesystem::path folder_;
};

Array numbers_in(const Array& line) {
  Array numbers(DType::float32, {16});
  const std::string_view text = line.text(0);
  const char* at = text.data();
  for (float& number : numbers.mutable_data<float>())
    at = std::from_chars(at, text.data() + text.size(), number).ptr + 1;
  return numbers;
}

std::vector<Pipeline> pipelines(const Files& files) {
  const auto end = [](const Dataset& mapped, int64_t batch, const Settings& with) {
    return mapped.batch(batch).prefetch(with.back());
  };
  const auto one = [end](auto source, auto work, int64_t batch) {
    return [=](const Settings& with) { return end(mapped(source(), work, with[0]), batch, with); };
  };
  const auto two = [end](const Settings& with) {
    return end(mapped(mapped(in_turn(), works(30), with[0]), works(150), with[1]), 16, with);
  };
  const auto images = [end, pattern = files.images()](const Settings& with) {
    const auto transform = image::Transform().random_resized_crop(96, 96).random_flip_left_right();
    return end(
        Dataset::list_files(pattern).repeat().map(transform, {.num_parallel_calls = with[0]}), 32,
        with);
  };
  const auto lines = [end, file = files.lines()](const Settings& with) {
    return end(TextLineDataset(file).repeat().shuffle(1000).map(numbers_in,
                                                                {.num_parallel_calls = with[0]}),
               64, with);
  };
  return {{"map of 20 us", 1, one(numbered, works(20), 32)},
          {"map of 20 us, in turn", 1, one(in_turn, works(20), 32)},
          {"uneven map of 200 us, in turn", 1, one(in_turn, works_unevenly(200), 16)},
          {"map that waits 1 ms, in turn", 1, one(in_turn, sleeps(1000), 32)},
          {"maps of 30 and 150 us, in turn", 2, two},
          {"images of files", 1, images},
          {"lines of text, shuffled", 1, lines},
          {"uneven map, consumer 1 ms", 1, one(in_turn, works_unevenly(20), 32), 1000}};
}

// --- measuring

// Elements per second.
double rate(const Pipeline& pipeline, const Dataset& dataset, double before, double seconds) {
  const double begun = now();
  double since = 0;
  int64_t elements = 0;
  for (const Element& batch : dataset) {
    if (pipeline.consumer_us > 0) sleep_for(pipeline.consumer_us);
    const double time = now();
    if (since > 0) elements += batch.arrays()[0].length();
    if (since == 0 && time - begun > before) since = time;
    if (since > 0 && time - since > seconds) return static_cast<double>(elements) / (time - since);
  }
  throw InvalidArgument(fmt::format("{}: the data ended.", pipeline.name));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Search {
 public:
  explicit Search(const Pipeline& pipeline) : pipeline_(pipeline) {}

  // One setting after the other, coarsely, then neighbours of the best; the three best of all take
  // turns at the end.
  Settings best() {
    const int64_t threads = ThreadPool::global().size();
    Settings found(pipeline_.maps + 1, threads);
    found.back() = 2;
    for (size_t i = 0; i < pipeline_.maps; ++i)
      found = best_of(found, i, {1, threads / 4, threads / 2, threads, 2 * threads, 8 * threads});
    found = best_of(found, pipeline_.maps, {1, 2, 8});
    for (size_t i = 0; i < found.size(); ++i)
      found = best_of(found, i, {found[i] / 2, found[i] * 2});
    return best_in_turns();
  }

 private:
  struct Tried {
    Settings with;
    double rate;
  };
  const Tried& tried(const Settings& with) {
    for (const Tried& known : tried_)
      if (known.with == with) return known;
    tried_.push_back({with, rate(pipeline_, pipeline_.build(with), start_up, glance)});
    return tried_.back();
  }
  Settings best_of(Settings with, size_t setting, const std::vector<int64_t>& values) {
    Tried best = tried(with);
    for (const int64_t value : values) {
      with[setting] = std::max<int64_t>(value, 1);
      if (const Tried next = tried(with); next.rate > best.rate) best = next;
    }
    return best.with;
  }
  Settings best_in_turns() {
    std::sort(tried_.begin(), tried_.end(),
              [](const Tried& a, const Tried& b) { return a.rate > b.rate; });
    tried_.resize(std::min<size_t>(tried_.size(), 3));
    std::vector<std::vector<double>> rates(tried_.size());
    for (int round = 0; round < 3; ++round)
      for (size_t i = 0; i < tried_.size(); ++i)
        rates[i].push_back(rate(pipeline_, pipeline_.build(tried_[i].with), start_up, glance));
    for (size_t i = 0; i < tried_.size(); ++i) tried_[i].rate = median(rates[i]);
    return std::max_element(tried_.begin(), tried_.end(),
                            [](const Tried& a, const Tried& b) { return a.rate < b.rate; })
        ->with;
  }

  const Pipeline& pipeline_;
  std::vector<Tried> tried_;
};

struct Compared {
  std::string name;
  double tuned, fixed;
  Settings chosen, best;  // by the tuner, by search
  double ratio() const { return tuned / fixed; }
};

Settings settings_of(const PipelineStatistics& statistics) {
  Settings values;
  for (const StageStatistics& stage : statistics.stages)
    if (stage.automatic) values.push_back(stage.value);
  return values;
}

void print(const TunerDecision& made) {
  fmt::print("    {:5.2f} s {}: {} {} -> {}: {}\n", made.seconds, made.stage, made.setting,
             made.from, made.to, made.why);
}

Compared compare(const Pipeline& pipeline) {
  const Settings best = Search(pipeline).best();
  const Dataset automatic = pipeline.build(pipeline.automatic()), fixed = pipeline.build(best);
  rate(pipeline, automatic, start_up, warm_up);
  const PipelineStatistics tuned = automatic.statistics();
  std::vector<double> rates[2];
  for (int round = 0; round < rounds; ++round) {
    rates[0].push_back(rate(pipeline, automatic, start_up, look));
    rates[1].push_back(rate(pipeline, fixed, start_up, look));
  }
  const Compared found{pipeline.name, median(rates[0]), median(rates[1]), settings_of(tuned), best};
  fmt::print("{:<32} {:>9.0f} {:>9.0f} {:>6.3f}   tuned {} static {}\n", found.name, found.tuned,
             found.fixed, found.ratio(), fmt::join(found.chosen, ","), fmt::join(best, ","));
  for (const TunerDecision& made : tuned.decisions) print(made);
  std::fflush(stdout);
  return found;
}

void write_json(const std::string& path, const std::vector<Compared>& all) {
  std::vector<std::string> rows;
  for (const Compared& one : all)
    rows.push_back(fmt::format(
        R"(  {{"pipeline": "{}", "tuned_per_s": {:.1f}, "static_per_s": {:.1f}, "ratio": {:.4f}, )"
        R"("tuned": [{}], "static": [{}]}})",
        one.name, one.tuned, one.fixed, one.ratio(), fmt::join(one.chosen, ", "),
        fmt::join(one.best, ", ")));
  std::ofstream(path) << fmt::format("[\n{}\n]\n", fmt::join(rows, ",\n"));
}

}  // namespace

int main(int count, char** arguments) try {
  std::string json, only;
  for (int i = 1; i < count; ++i)
    if (std::string(arguments[i]) == "--json" && i + 1 < count)
      json = arguments[++i];
    else
      only = arguments[i];
  calibrate();
  const Files files;
  std::vector<Compared> all;
  fmt::print("{:<32} {:>9} {:>9} {:>6}   settings: calls of maps, batches ahead\n", "elements/s",
             "tuned", "static", "ratio");
  for (const Pipeline& pipeline : pipelines(files))
    if (std::string(pipeline.name).find(only) != std::string::npos)
      all.push_back(compare(pipeline));
  const auto good = std::count_if(all.begin(), all.end(),
                                  [](const Compared& one) { return one.ratio() >= 0.97; });
  fmt::print("{} of {} within 3 % of the best static setting, or faster\n", good, all.size());
  if (!json.empty()) write_json(json, all);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
