#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "core/philox.h"
#include "data/shuffle.h"
#include "data/stage.h"
#include "io/test_files.h"
#include "stoker/ignore_errors.h"

// Random pipelines, compared with a simple implementation without threads, cursors or indices:
// every stage maps a list to a list.
namespace stoker::data {
namespace {

using Row = std::vector<int64_t>;  // one element: a number, or the numbers of a batch
using Rows = std::vector<Row>;

struct Step {
  std::string what;
  int64_t a = 0, b = 0;
};

class Plain {
 public:
  explicit Plain(std::vector<Step> steps) : steps_(std::move(steps)) {}
  Rows rows(int64_t pass) const { return after(steps_.size(), pass); }

 private:
  Rows after(size_t count, int64_t pass) const {
    if (count == 0) return {};
    const Step& step = steps_[count - 1];
    const auto& [what, a, b] = step;
    if (what == "range") {
      Rows rows;
      for (int64_t i = 0; i < a; ++i) rows.push_back({i});
      return rows;
    }
    if (what == "repeat") {
      Rows rows;
      for (int64_t k = 0; k < a; ++k)
        for (const Row& row : after(count - 1, pass * a + k)) rows.push_back(row);
      return rows;
    }
    if (what == "for ever") {
      Rows rows;
      for (int64_t k = 0; static_cast<int64_t>(rows.size()) < a; ++k) {
        const Rows more = after(count - 1, (pass << 32) + k);
        if (more.empty()) break;
        rows.insert(rows.end(), more.begin(), more.end());
      }
      rows.resize(std::min(rows.size(), static_cast<size_t>(a)));
      return rows;
    }
    if (what == "random map") return drawn(after(count - 1, pass), pass, maps_behind(count));
    if (what.find("cache") != std::string::npos) return after(count - 1, 0);  // the first pass
    return apply(step, after(count - 1, pass), pass, by_number(count - 1));
  }

  // Adds each element's own random numbers to it.
  static Rows drawn(Rows rows, int64_t pass, uint64_t stage) {
    for (size_t i = 0; i < rows.size(); ++i) {
      Random random(0, static_cast<uint64_t>(pass), i, stage);
      const auto more = static_cast<int64_t>(random.uniform() * 1000);
      for (int64_t& value : rows[i]) value = value * 3 + more;
    }
    return rows;
  }
  uint64_t maps_behind(size_t count) const {
    return static_cast<uint64_t>(
        std::count_if(steps_.begin() + static_cast<std::ptrdiff_t>(count), steps_.end(),
                      [](const Step& step) { return step.what.ends_with("map"); }));
  }

  // Can the elements after so many stages be read by index? That determines how they are shuffled.
  bool by_number(size_t count) const {
    if (count == 0) return true;
    const std::string& what = steps_[count - 1].what;
    if (what == "disk cache") return true;
    if (what == "each several times" || what == "padded_batch" || what == "rebatch" ||
        what == "ignoring map" || what == "filter" || what == "batch" || what == "unbatch" ||
        what == "serial map" || (what == "random map" && steps_[count - 1].b == 1))
      return false;
    return by_number(count - 1);
  }

  static Rows apply(const Step& step, Rows rows, int64_t pass, bool numbered) {
    const auto& [what, a, b] = step;
    const auto at = [&](int64_t i) {
      return rows.begin() + std::min<int64_t>(i, static_cast<int64_t>(rows.size()));
    };
    if (what == "map" || what == "serial map") {
      for (Row& row : rows)
        for (int64_t& value : row) value = value * 3 + a;
    } else if (what == "replacing map") {
      for (Row& row : rows)
        if (row.front() % a == b) row = {-1};
    } else if (what == "each several times") {
      Rows several;
      for (const Row& row : rows) several.insert(several.end(), static_cast<size_t>(a), row);
      return several;
    } else if (what == "filter" || what == "ignoring map") {
      std::erase_if(rows, [&](const Row& row) { return row.front() % a == b; });
    } else if (what == "take") {
      rows.erase(at(a), rows.end());
    } else if (what == "skip") {
      rows.erase(rows.begin(), at(a));
    } else if (what == "shard") {
      Rows kept;
      for (size_t i = static_cast<size_t>(b); i < rows.size(); i += static_cast<size_t>(a))
        kept.push_back(rows[i]);
      return kept;
    } else if (what == "concatenate") {
      for (int64_t i = 0; i < a; ++i)
        rows.push_back(Row(rows.empty() ? 1 : rows[0].size(), 1000 + i));
    } else if (what == "rebatch") {
      return apply({"batch", a, b}, apply({"unbatch"}, rows, pass, false), pass, false);
    } else if (what == "batch" || what == "padded_batch") {
      Rows batches;
      for (size_t i = 0; i < rows.size(); ++i) {
        if (i % static_cast<size_t>(a) == 0) batches.emplace_back();
        batches.back().insert(batches.back().end(), rows[i].begin(), rows[i].end());
      }
      if (b == 1 && !rows.empty() && rows.size() % static_cast<size_t>(a) != 0) batches.pop_back();
      return batches;
    } else if (what == "unbatch") {
      Rows single;
      for (const Row& row : rows)
        for (const int64_t value : row) single.push_back({value});
      return single;
    } else if (what == "shuffle") {
      return numbered ? permuted(rows, static_cast<uint64_t>(a), pass)
                      : buffered(rows, static_cast<uint64_t>(a), b, pass);
    }
    return rows;  // prefetch, assert cardinality
  }

  static Rows permuted(const Rows& rows, uint64_t seed, int64_t pass) {
    std::vector<int64_t> order(rows.size());
    permute(order, seed, pass);
    Rows result;
    for (const int64_t i : order) result.push_back(rows[static_cast<size_t>(i)]);
    return result;
  }
  static Rows buffered(const Rows& rows, uint64_t seed, int64_t most, int64_t pass) {
    Rows buffer, result;
    size_t next = 0;
    for (uint64_t draw = 0; result.size() < rows.size(); ++draw) {
      while (buffer.size() < static_cast<size_t>(most) && next < rows.size())
        buffer.push_back(rows[next++]);
      const auto words = Philox{seed}(draw, static_cast<uint64_t>(pass));
      const uint64_t n = buffer.size(), chosen = (words[0] * n + ((words[1] * n) >> 32)) >> 32;
      result.push_back(buffer[chosen]);
      std::swap(buffer[chosen], buffer.back());
      buffer.pop_back();
    }
    return result;
  }

  std::vector<Step> steps_;
};

Array computed(const Array& array, int64_t more) {
  Array result(DType::int64, array.shape());
  for (int64_t i = 0; i < array.size(); ++i)
    result.mutable_data<int64_t>()[static_cast<size_t>(i)] =
        array.data<int64_t>()[static_cast<size_t>(i)] * 3 + more;
  return result;
}

// A map that throws for some elements, which are left out or replaced.
Dataset ignoring(const Dataset& dataset, const Step& step) {
  const auto chosen = [a = step.a, b = step.b](const Array& x) {
    if (x.data<int64_t>()[0] % a == b) throw InvalidArgument("not this one.");
    return x;
  };
  IgnoreErrorsArgs args{.max_errors = 1'000'000, .report = [](int64_t, const Error&) {}};
  if (step.what == "replacing map") args.replacement = Array::scalar<int64_t>(-1);
  return ignore_errors(dataset.map(chosen, {.num_parallel_calls = AUTOTUNE}), args);
}

// Caches on disk are files in the folder.
Dataset built(const std::vector<Step>& steps, const TemporaryFolder& folder) {
  static int files = 0;
  Dataset dataset = Dataset::range(0);
  for (const auto& [what, a, b] : steps) {
    if (what == "range") dataset = Dataset::range(a);
    if (what == "map")
      dataset = dataset.map([a = a](const Array& x) { return computed(x, a); },
                            {.num_parallel_calls = b});
    if (what == "serial map")
      dataset = dataset.map([a = a](const Array& x) { return computed(x, a); });
    if (what == "random map")
      dataset = dataset.map(
          [](const Array& x, Random& random) {
            return computed(x, static_cast<int64_t>(random.uniform() * 1000));
          },
          {.num_parallel_calls = b});
    if (what == "filter")
      dataset =
          dataset.filter([a = a, b = b](const Array& x) { return x.data<int64_t>()[0] % a != b; });
    if (what == "take") dataset = dataset.take(a);
    if (what == "skip") dataset = dataset.skip(a);
    if (what == "shard") dataset = dataset.shard(a, b);
    if (what == "repeat") dataset = dataset.repeat(a);
    if (what == "for ever") dataset = dataset.repeat().take(a);
    if (what == "concatenate") dataset = dataset.concatenate(Dataset::range(1000, 1000 + a));
    if (what == "batch") dataset = dataset.batch(a, {.drop_remainder = b == 1});
    if (what == "unbatch") dataset = dataset.unbatch();
    if (what == "shuffle") dataset = dataset.shuffle(b, {.seed = static_cast<uint64_t>(a)});
    if (what == "prefetch") dataset = dataset.prefetch(a);
    if (what == "cache") dataset = dataset.cache();
    if (what == "disk cache") dataset = dataset.cache(folder / fmt::format("{}", ++files));
    if (what == "device cache") dataset = dataset.cache_on_device();
    if (what == "assert cardinality") dataset = dataset.assert_cardinality(a);
    if (what == "padded_batch") dataset = dataset.padded_batch(a, {.drop_remainder = b == 1});
    if (what == "rebatch") dataset = dataset.rebatch(a, {.drop_remainder = b == 1});
    if (what == "ignoring map" || what == "replacing map")
      dataset = ignoring(dataset, {what, a, b});
    if (what == "each several times")
      dataset = dataset.flat_map(
          [count = a](const Array& x) { return Dataset::from_tensors(x).repeat(count); });
  }
  return dataset;
}

// Is the number of elements the same in all passes?
bool has_one_size(const std::vector<Step>& steps) {
  return std::ranges::none_of(
      steps, [](const Step& step) { return step.what == "filter" || step.what == "ignoring map"; });
}

std::vector<Step> drawn(std::mt19937& random) {
  const auto upto = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  std::vector<Step> steps{{"range", upto(40)}};
  bool batched = false;
  const int64_t count = 1 + upto(7);
  for (int64_t i = 0; i < count; ++i) switch (upto(24)) {
      case 0:
        steps.push_back({"map", upto(5), 1 + upto(4)});
        if (steps.back().b == 1) steps.back() = {"serial map", upto(5)};
        break;
      case 1:
        steps.push_back({"map", upto(5), AUTOTUNE});
        break;
      case 2:
        steps.push_back({"filter", 2 + upto(3), upto(2)});
        break;
      case 3:
        steps.push_back({"take", upto(50)});
        break;
      case 4:
        steps.push_back({"skip", upto(10)});
        break;
      case 5: {
        const int64_t n = 1 + upto(3);
        steps.push_back({"shard", n, upto(n)});
        break;
      }
      case 6:
        steps.push_back({"repeat", upto(4)});
        break;
      case 7:
        steps.push_back({"for ever", upto(60)});
        break;
      case 8:
        if (!batched) steps.push_back({"concatenate", upto(5)});
        break;
      case 9:
        if (!batched) steps.push_back({"batch", 1 + upto(9), upto(2)}), batched = true;
        break;
      case 10:
        if (batched) steps.push_back({"unbatch"}), batched = false;
        break;
      case 11:
        steps.push_back({"shuffle", upto(100), 1 + upto(12)});
        break;
      case 12:
        steps.push_back({"prefetch", 1 + upto(3)});
        break;
      case 13:
        steps.push_back({"cache"});
        break;
      case 14:
        steps.push_back({"disk cache"});
        break;
      case 15:
        if (!batched) steps.push_back({"padded_batch", 1 + upto(9), upto(2)}), batched = true;
        break;
      case 16:
        if (batched) steps.push_back({"rebatch", 1 + upto(9), upto(2)});
        break;
      case 17:
        steps.push_back({"each several times", upto(3)});
        break;
      case 18:
        steps.push_back({"ignoring map", 2 + upto(3), upto(2)});
        break;
      case 19:
        if (!batched) steps.push_back({"replacing map", 2 + upto(3), upto(2)});
        break;
      case 20:
        if (const size_t size = Plain(steps).rows(0).size(); size > 0 && has_one_size(steps))
          steps.push_back({"assert cardinality", static_cast<int64_t>(size)});
        break;
      default:
        steps.push_back({"random map", 0, 1 + upto(3)});
    }
  if (upto(4) == 0) steps.push_back({"device cache"});
  return steps;
}

std::string text_of(const std::vector<Step>& steps) {
  std::string text;
  for (const auto& [what, a, b] : steps) text += fmt::format("{}({}, {}) ", what, a, b);
  return text;
}

Rows read(Cursor& cursor) {
  Rows rows;
  Element element;
  while (cursor.next(element)) {
    const auto values = element.array().data<int64_t>();
    rows.emplace_back(values.begin(), values.end());
  }
  return rows;
}

// STOKER_PIPELINES_SEED draws other pipelines.
unsigned seed_or(unsigned otherwise) {
  const char* const given = std::getenv("STOKER_PIPELINES_SEED");
  return given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : otherwise;
}

// For any number of threads, in every pass, and from any element on.
TEST(RandomPipelines, GiveWhatAPlainImplementationGives) {
  std::mt19937 random(seed_or(5));
  const TemporaryFolder folder;
  Workers one(1), two(2), many(16);
  for (int trial = 0; trial < 800; ++trial) {
    const std::vector<Step> steps = drawn(random);
    SCOPED_TRACE(text_of(steps));
    const Dataset dataset = built(steps, folder);
    for (const int64_t pass : {3, 0}) {
      const Rows expected = Plain(steps).rows(pass);
      for (Workers* workers : {&one, &two, &many}) {
        const Opening opening{.pass = pass, .workers = workers};
        ASSERT_EQ(read(*dataset.stage()->open(opening)), expected);
        const int64_t ahead = static_cast<int64_t>(random() % (expected.size() + 2));
        const auto cursor = dataset.stage()->open(opening);
        const int64_t there = std::min(ahead, static_cast<int64_t>(expected.size()));
        ASSERT_EQ(cursor->skip(ahead), there);
        ASSERT_EQ(read(*cursor), Rows(expected.begin() + there, expected.end()));
      }
    }
    // Repeated for ever, an unknown number of elements counts as infinite, as in tf.data, even if
    // there are none.
    const auto count = static_cast<int64_t>(Plain(steps).rows(0).size());
    const bool maybe_none = count == 0 && text_of(steps).find("for ever") != std::string::npos;
    if (has_one_size(steps) && !maybe_none && is_finite(dataset.cardinality())) {
      ASSERT_EQ(dataset.cardinality(), count);
    }
  }
}

// Pipelines that are abandoned in the middle leave no thread and no task behind.
TEST(RandomPipelines, MayBeLeftInTheMiddle) {
  std::mt19937 random(seed_or(6));
  const TemporaryFolder folder;
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<Step> steps = drawn(random);
    SCOPED_TRACE(text_of(steps));
    const Dataset dataset = built(steps, folder);
    const auto cursor = dataset.stage()->open({});
    Element element;
    for (uint64_t i = random() % 5; i > 0 && cursor->next(element); --i) {
    }
  }
}

}  // namespace
}  // namespace stoker::data
