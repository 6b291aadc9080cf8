#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

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
    if (what == "sampled") return sampled(step, after(count - 1, pass), pass);
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
    if (what == "each several times" || what == "padded_batch" || what.starts_with("rebatch") ||
        what == "ignoring map" || what == "take of failing map" || what == "filter" ||
        what == "batch" || what == "unbatch" || what == "take while" || what == "running sums" ||
        what == "unique" || what == "grouped" || what == "buckets" || what == "interleaved" ||
        what == "sampled" || what == "serial map" ||
        (what == "random map" && steps_[count - 1].b == 1))
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
    } else if (what == "take of failing map") {
      std::erase_if(rows, [&](const Row& row) { return row.front() % 3 == b; });
      rows.erase(at(a), rows.end());
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
    } else if (what == "rebatch in turn") {
      return in_turn(apply({"unbatch"}, rows, pass, false), a, b);
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
    } else if (what == "take while") {
      rows.erase(std::ranges::find_if(rows, [&](const Row& row) { return row.front() % a == b; }),
                 rows.end());
    } else if (what == "running sums") {
      int64_t sum = a;
      for (Row& row : rows) sum = row.front() += sum % 1000;
    } else if (what == "unique") {
      return unique(rows);
    } else if (what == "grouped" || what == "buckets") {
      return grouped(rows, a, b, what == "buckets");
    } else if (what == "interleaved") {
      return interleaved(rows, static_cast<size_t>(a), b % 10);
    } else if (what == "shuffle") {
      return numbered ? permuted(rows, static_cast<uint64_t>(a), pass)
                      : buffered(rows, static_cast<uint64_t>(a), b, pass);
    }
    return rows;  // prefetch, assert cardinality
  }

  // Batches of `a` and of `b` elements in turn.
  static Rows in_turn(const Rows& rows, int64_t a, int64_t b) {
    Rows batches;
    for (size_t i = 0; i < rows.size();) {
      const auto size = static_cast<size_t>(batches.size() % 2 == 0 ? a : b);
      batches.emplace_back();
      for (; i < rows.size() && batches.back().size() < size; ++i)
        batches.back().push_back(rows[i].front());
    }
    return batches;
  }
  static Rows unique(const Rows& rows) {
    Rows kept;
    for (const Row& row : rows)
      if (std::ranges::find(kept, row) == kept.end()) kept.push_back(row);
    return kept;
  }
  // Batches of `size` elements with equal keys, smaller ones at the end by key: the first number
  // modulo `keys` or, with `buckets`, the bucket of its rest modulo 7.
  static Rows grouped(const Rows& rows, int64_t keys, int64_t size, bool buckets) {
    std::map<int64_t, Row> groups;
    Rows result;
    for (const Row& row : rows) {
      const int64_t key =
          buckets ? std::clamp<int64_t>(row.front() % 7, 0, keys) : row.front() % keys;
      Row& group = groups[key];
      group.push_back(row.front());
      if (static_cast<int64_t>(group.size()) < size) continue;
      result.push_back(group);
      groups.erase(key);
    }
    for (const auto& [key, group] : groups) result.push_back(group);
    return result;
  }
  // Round-robin over `cycle` slots, of each row x its x % 3 successors, `block` of them at a time.
  static Rows interleaved(const Rows& rows, size_t cycle, int64_t block) {
    std::vector<std::pair<Row, int64_t>> slots(cycle, {{}, -1});  // a row and what is left of it
    Rows result;
    size_t next = 0;
    for (size_t at = 0, empty = 0; empty < cycle; at = (at + 1) % cycle) {
      auto& [row, left] = slots[at];
      if (left < 0 && next < rows.size()) {
        row = rows[next++];
        left = std::max<int64_t>(row.front() % 3, 0);
      }
      empty = left < 0 ? empty + 1 : 0;
      for (int64_t i = 0; i < block && left >= 0; ++i)
        if (--left >= 0) result.push_back({row.front() + left});
    }
    return result;
  }
  // From the rows or from `a` numbers beginning with 5000, by a draw each.
  static Rows sampled(const Step& step, const Rows& rows, int64_t pass) {
    Rows other, result;
    for (int64_t i = 0; i < step.a; ++i) other.push_back({5000 + i});
    size_t place[] = {0, 0};
    for (uint64_t draw = 0; place[0] < rows.size() || place[1] < other.size(); ++draw) {
      const bool first = Philox{3}(draw, static_cast<uint64_t>(pass))[0] * 0x1p-32 * 2 < 1;
      const Rows& from = first ? rows : other;
      size_t& at = place[first ? 0 : 1];
      if (at < from.size()) result.push_back(from[at++]);
    }
    return result;
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

// So many of the elements for which a map does not throw.
Dataset taken_of_failing(const Dataset& dataset, int64_t count, int64_t rest) {
  const auto chosen = [rest](const Array& x) {
    if (x.data<int64_t>()[0] % 3 == rest) throw InvalidArgument("not this one.");
    return x;
  };
  const int64_t calls = count % 2 == 0 ? AUTOTUNE : 1;
  return dataset.map(chosen, {.num_parallel_calls = calls})
      .take(count)
      .ignore_errors({.max_errors = 1'000'000, .report = [](int64_t, const Error&) {}});
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

int64_t first(const Array& array) { return array.data<int64_t>()[0]; }
Array with_first(const Array& array, int64_t value) {
  Array changed = array.clone();
  changed.mutable_data<int64_t>()[0] = value;
  return changed;
}
Row up_to(int64_t last) {
  Row numbers;
  for (int64_t i = 1; i <= last; ++i) numbers.push_back(i);
  return numbers;
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
    if (what == "rebatch in turn") dataset = dataset.rebatch({a, b});
    if (what == "take of failing map") dataset = taken_of_failing(dataset, a, b);
    if (what == "ignoring map" || what == "replacing map")
      dataset = ignoring(dataset, {what, a, b});
    if (what == "take while")
      dataset = dataset.take_while([a = a, b = b](const Array& x) { return first(x) % a != b; });
    if (what == "running sums")
      dataset = dataset.scan(Array::scalar(a), [](const Array& sum, const Array& x) {
        const Array more = with_first(x, first(x) + first(sum) % 1000);
        return std::pair(Array::scalar(first(more)), more);
      });
    if (what == "unique") dataset = dataset.unique();
    if (what == "grouped")
      dataset = dataset.group_by_window(
          [a = a](const Array& x) { return first(x) % a; },
          [b = b](int64_t, const Dataset& window) { return window.batch(b); }, b);
    if (what == "buckets")
      dataset = dataset.bucket_by_sequence_length([](const Array& x) { return first(x) % 7; },
                                                  up_to(a), Row(static_cast<size_t>(a) + 1, b));
    if (what == "interleaved")
      dataset = dataset.interleave(
          [](const Array& x) {
            const int64_t value = first(x), count = std::max<int64_t>(value % 3, 0);
            return Dataset::range(value + count - 1, value - 1, -1).prefetch(1);
          },
          {.cycle_length = a, .block_length = b % 10, .num_parallel_calls = b / 10});
    if (what == "sampled")
      dataset =
          Dataset::sample_from_datasets({dataset, Dataset::range(5000, 5000 + a)}, {.seed = 3});
    if (what == "each several times")
      dataset = dataset.flat_map(
          [count = a](const Array& x) { return Dataset::from_tensors(x).repeat(count); });
  }
  return dataset;
}

// Is the number of elements the same in all passes?
bool has_one_size(const std::vector<Step>& steps) {
  const std::set<std::string> varying{"filter",     "ignoring map", "take of failing map",
                                      "take while", "unique",       "grouped",
                                      "buckets",    "interleaved"};
  return std::ranges::none_of(steps, [&](const Step& step) { return varying.contains(step.what); });
}

std::vector<Step> drawn(std::mt19937& random) {
  const auto upto = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  std::vector<Step> steps{{"range", upto(40)}};
  bool batched = false;
  const int64_t count = 1 + upto(7);
  for (int64_t i = 0; i < count; ++i) switch (upto(34)) {
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
      case 21:
        steps.push_back({"take while", 5 + upto(20), upto(5)});
        break;
      case 22:
        steps.push_back({"running sums", upto(9)});
        break;
      case 23:
        steps.push_back({"unique"});
        break;
      case 24:
        if (!batched) steps.push_back({"grouped", 1 + upto(3), 1 + upto(6)}), batched = true;
        break;
      case 25:
        if (!batched) steps.push_back({"buckets", 1 + upto(3), 1 + upto(6)}), batched = true;
        break;
      case 26:
      case 27:
        if (!batched) steps.push_back({"interleaved", 1 + upto(5), 1 + upto(3) + 10 * upto(4)});
        break;
      case 28:
        if (!batched) steps.push_back({"sampled", upto(9)});
        break;
      case 29:
        if (batched) steps.push_back({"rebatch in turn", 1 + upto(4), 1 + upto(4)});
        break;
      case 30:
        steps.push_back({"take of failing map", upto(30), upto(2)});
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
