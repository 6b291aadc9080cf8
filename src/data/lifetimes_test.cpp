#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "data/stage.h"
#include "io/test_files.h"
#include "stoker/interrupt.h"

// Stages outlive their cursors, and functions that must not run in two threads at once do not.
namespace stoker::data {
namespace {

using Numbers = std::vector<int64_t>;

int64_t value_of(const Array& array) { return array.data<int64_t>()[0]; }

// Counts cursors that are destroyed after the stage that they refer to.
class Watched : public Stage {
 public:
  Watched(StageRef before, std::atomic<int>& late)
      : Stage("watched", std::source_location::current()),
        before_(std::move(before)),
        alive_(std::make_shared<std::atomic<bool>>(true)),
        late_(late) {}
  ~Watched() override { *alive_ = false; }
  int64_t cardinality() const override { return before_->cardinality(); }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    struct Passed : Cursor {
      Passed(std::unique_ptr<Cursor> from, std::shared_ptr<const std::atomic<bool>> stage,
             std::atomic<int>& count)
          : before(std::move(from)), alive(std::move(stage)), late(count) {}
      ~Passed() override { late += *alive ? 0 : 1; }
      bool next(Element& element) override { return before->next(element); }
      std::unique_ptr<Cursor> before;
      std::shared_ptr<const std::atomic<bool>> alive;
      std::atomic<int>& late;
    };
    return std::make_unique<Passed>(before_->open(opening), alive_, late_);
  }

 private:
  StageRef before_;
  std::shared_ptr<std::atomic<bool>> alive_;
  std::atomic<int>& late_;
};
Dataset watched(const Dataset& dataset, std::atomic<int>& late) {
  return Dataset(std::make_shared<Watched>(dataset.stage(), late));
}

// Reads so many elements, or all of them, and drops the cursor.
void read_some(const Dataset& dataset, int64_t count) {
  const auto cursor = dataset.stage()->open({});
  for (Element element; count != 0 && cursor->next(element);) --count;
}

TEST(Cursors, EndBeforeTheDatasetsThatFunctionsReturn) {
  std::atomic<int> late = 0;
  const auto three = [&](const Array&) { return watched(Dataset::range(3), late); };
  const auto ahead = [&](const Array& x) { return three(x).prefetch(2); };
  const auto same = [&](int64_t, const Dataset& window) { return watched(window, late); };
  const auto parity = [](const Array& x) { return value_of(x) % 2; };
  for (const int64_t count : {-1, 1, 4})
    for (const Dataset& dataset :
         {Dataset::range(5).flat_map(three), Dataset::range(5).flat_map(ahead),
          Dataset::range(5).interleave(three, {.cycle_length = 2}),
          Dataset::range(5).interleave(ahead, {.cycle_length = 2, .num_parallel_calls = 2}),
          Dataset::range(9).group_by_window(parity, same, 2)})
      read_some(dataset, count);
  EXPECT_EQ(late, 0);
}

// A function with captures is called by one thread at a time, even if two read, as the training and
// the validation data of a fit do.
TEST(SerialFunctions, AreNotCalledByTwoThreadsAtOnce) {
  std::atomic<int> inside = 0, together = 0, calls = 0;
  const auto alone = [&] {
    ++calls;
    together += ++inside > 1 ? 1 : 0;
    for (int i = 0; i < 50; ++i) std::this_thread::yield();
    --inside;
  };
  const Dataset range = Dataset::range(150);
  const auto same = [&](const Array& x) { return alone(), x; };
  const auto yes = [&](const Array&) { return alone(), true; };
  const auto zero = [&](const Array&) { return alone(), 0; };
  for (const Dataset& shared :
       {range.map(same), range.filter(yes), range.take_while(yes),
        range.scan(Array::scalar<int64_t>(0),
                   [&](const Array&s, const Array&x) { return alone(), std::pair(s, x); }),
        range.flat_map([&](const Array&x) { return alone(), Dataset::from_tensors(x); }),
        range.group_by_window(
            zero, [](int64_t, const Dataset&w) { return w; }, 10),
        range.rejection_resample(zero, {1})}) {
    inside = together = calls = 0;
    std::thread other([&] { read_some(shared.batch(4), -1); });
    read_some(shared.batch(3), -1);
    other.join();
    EXPECT_EQ(together, 0) << shared.stage()->where();
    EXPECT_EQ(calls, 300) << shared.stage()->where();
  }
}

TEST(Generators, AreNotCalledAgainAfterTheirEnd) {
  int ends = 0;
  const Dataset none = Dataset::from_generator(
      [&]() -> Dataset::Generator {
        return [&, left = 2]() mutable -> std::optional<Element> {
          if (left-- > 0) return Element(Array::scalar<int64_t>(left));
          ++ends;
          return std::nullopt;
        };
      },
      {.arrays = {{DType::int64, Shape{}}}});
  const Dataset batches = none.batch(8);
  const auto cursor = batches.stage()->open({});
  Element element;
  EXPECT_TRUE(cursor->next(element));
  EXPECT_FALSE(cursor->next(element));
  EXPECT_FALSE(cursor->next(element));
  EXPECT_EQ(ends, 1);
}

// An interrupt while a cache on disk is written leaves no file; the next run writes it.
TEST(DiskCaches, AreNotLeftHalfWritten) {
  const TemporaryFolder folder;
  const std::string path = folder / "cache";
  bool stops = true;
  const auto stop_at_three = [&](const Array& x) {
    if (stops && value_of(x) == 3) interrupt();
    return x;
  };
  const Dataset cached = Dataset::range(9).map(stop_at_three).cache(path);
  {
    const InterruptScope scope;
    EXPECT_THROW(read_some(cached, -1), Interrupted);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  stops = false;
  EXPECT_EQ(cached.as_list().size(), 9u);
  EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace stoker::data
