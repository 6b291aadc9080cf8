#include "data/shuffle.h"

#include <fmt/format.h>

#include "core/philox.h"
#include "data/stage.h"
#include "data/tuning/byte_account.h"
#include "stoker/human_bytes.h"

namespace stoker::data {
namespace {

class Shuffle : public Stage {
 public:
  Shuffle(StageRef before, int64_t buffer_size, const ShuffleArgs& args,
          const std::source_location& created)
      : Stage("shuffle", created), before_(std::move(before)), buffer_(buffer_size), args_(args) {
    if (buffer_ < 1)
      throw InvalidArgument(
          fmt::format("{}: buffer_size must be positive, got {}.", where(), buffer_),
          "the number of elements shuffles all of them.");
  }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  int64_t cardinality() const override { return before_->cardinality(); }
  std::optional<ElementSpec> spec() const override { return before_->spec(); }
  int64_t batch_rows() const override { return before_->batch_rows(); }
  bool is_random() const override { return args_.reshuffle_each_iteration; }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override;
  std::unique_ptr<Cursor> open(const Opening& opening) const override;
  std::optional<RowsInOrder> rows_in_order() const override {
    auto rows = before_->rows_in_order();
    if (!rows || rows->shuffled || rows->batch_size > 0 || !args_.reshuffle_each_iteration)
      return std::nullopt;
    rows->shuffled = true;
    rows->seed = args_.seed;
    return rows;
  }

 private:
  uint64_t seed(const Opening& opening) const { return args_.seed.value_or(opening.seed); }
  int64_t pass(const Opening& opening) const {
    return args_.reshuffle_each_iteration ? opening.pass : 0;
  }

  void check_memory(int64_t elements) const;

  StageRef before_;
  int64_t buffer_;
  ShuffleArgs args_;
};

// All elements by a permutation: only indices are held in memory.
struct Permuted : Indexed {
  Permuted(std::shared_ptr<const Indexed> from, std::vector<int64_t> numbers, Meter& meter)
      : before(std::move(from)), order(std::move(numbers)), held(meter) {
    held.add(static_cast<int64_t>(order.size() * sizeof(int64_t)));
  }
  int64_t size() const override { return before->size(); }
  Element at(int64_t i) const override { return before->at(order[static_cast<size_t>(i)]); }
  std::shared_ptr<const Indexed> resolve(std::span<int64_t> numbers) const override {
    for (int64_t& number : numbers) number = order[static_cast<size_t>(number)];
    return before->resolve(numbers);
  }
  void add_origins(int64_t i, std::vector<SampleOrigin>& to) const override {
    before->add_origins(order[static_cast<size_t>(i)], to);
  }
  std::shared_ptr<const Indexed> before;
  const std::vector<int64_t> order;
  HeldBeside held;
};

// Draws which of `kept` elements leaves the buffer.
struct Draw {
  size_t of(size_t kept) {
    const auto words = random(draws++, static_cast<uint64_t>(pass));
    const uint64_t n = kept;
    return (words[0] * n + ((words[1] * n) >> 32)) >> 32;
  }
  Philox random;
  int64_t pass;
  uint64_t draws = 0;
};
// The last one takes its place.
template <class T>
T take_out(std::vector<T>& kept, size_t place) {
  T taken = std::move(kept[place]);
  if (place + 1 < kept.size()) kept[place] = std::move(kept.back());
  kept.pop_back();
  return taken;
}

// A buffer from which a random element is taken and replaced by the next one.
class Buffered : public Cursor {
 public:
  Buffered(const Stage& stage, std::unique_ptr<Cursor> before, int64_t buffer, uint64_t seed,
           int64_t pass, bool tracks_origins)
      : tracks_origins_(tracks_origins),
        held_(stage.meter()),
        before_(std::move(before)),
        most_(static_cast<size_t>(buffer)),
        draw_{Philox{seed}, pass} {}

  bool next(Element& element) override {
    while (kept_.size() < most_ && !ended_) fill();
    if (kept_.empty()) return false;
    Kept taken = take_out(kept_, draw_.of(kept_.size()));
    element = std::move(taken.element);
    origins_ = std::move(taken.origins);
    held_.add(-bytes_of(element));
    return true;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override {
    to.insert(to.end(), origins_.begin(), origins_.end());
  }

 private:
  struct Kept {
    Element element;
    std::vector<SampleOrigin> origins;
  };
  void fill() {
    Kept read;
    ended_ = !before_->next(read.element);
    if (ended_) return;
    if (tracks_origins_) before_->add_origins(read.origins);
    held_.add(bytes_of(read.element));
    kept_.push_back(std::move(read));
  }

  const bool tracks_origins_;
  Held held_;

  std::unique_ptr<Cursor> before_;
  size_t most_;
  Draw draw_;
  std::vector<Kept> kept_;
  std::vector<SampleOrigin> origins_;  // of the last element
  bool ended_ = false;
};

constexpr int64_t most_permuted = int64_t{1} << 32;  // indices in memory

std::vector<int64_t> permuted(int64_t count, uint64_t seed, int64_t pass) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  permute(order, seed, pass);
  return order;
}

// The order in which elements leave a buffer.
std::vector<int64_t> buffered(int64_t count, int64_t buffer, Draw draw) {
  std::vector<int64_t> kept, order;
  for (int64_t next = 0; static_cast<int64_t>(order.size()) < count;) {
    while (static_cast<int64_t>(kept.size()) < buffer && next < count) kept.push_back(next++);
    order.push_back(take_out(kept, draw.of(kept.size())));
  }
  return order;
}

std::shared_ptr<const Indexed> Shuffle::index(const Opening& opening) const {
  auto before = before_->index(opening);
  if (!before || before->size() > most_permuted) return nullptr;
  check_memory(before->size());
  Opening making = opening;
  making.numbers_only = false;
  const bool exact = !opening.numbers_only || before_->index(making);
  auto order = exact ? permuted(before->size(), seed(opening), pass(opening))
                     : buffered(before->size(), buffer_, {Philox{seed(opening)}, pass(opening)});
  return std::make_shared<Permuted>(std::move(before), std::move(order), meter());
}

// A buffer instead would have another order, and only on machines with little memory.
void Shuffle::check_memory(int64_t elements) const {
  const int64_t bytes = elements * 2 * static_cast<int64_t>(sizeof(int64_t)),
                limit = ByteAccount::global().limit();
  if (bytes <= limit) return;
  throw OutOfMemory(
      fmt::format("{}: the order of {} elements needs {} while it is drawn, more than the {} that "
                  "datasets may take.",
                  where(), elements, human_bytes(bytes), human_bytes(limit)),
      "shuffle files or shards before their elements, raise set_dataset_memory_limit(), or put a "
      "filter before the shuffle: elements without indices are shuffled in a buffer of "
      "buffer_size.");
}

std::unique_ptr<Cursor> Shuffle::open(const Opening& opening) const {
  if (auto all = open_by_number(*this, opening)) return all;
  return std::make_unique<Buffered>(*this, before_->open(opening), buffer_, seed(opening),
                                    pass(opening), opening.tracks_origins);
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::shuffle(int64_t buffer_size, const ShuffleArgs& args, const From& from) const {
  return Dataset(std::make_shared<data::Shuffle>(stage_, buffer_size, args, from));
}

}  // namespace stoker
