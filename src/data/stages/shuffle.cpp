#include "data/shuffle.h"

#include <fmt/format.h>

#include "core/philox.h"
#include "data/stage.h"
#include "data/tuning/byte_account.h"

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

 private:
  uint64_t seed(const Opening& opening) const { return args_.seed.value_or(opening.seed); }
  int64_t pass(const Opening& opening) const {
    return args_.reshuffle_each_iteration ? opening.pass : 0;
  }

  StageRef before_;
  int64_t buffer_;
  ShuffleArgs args_;
};

// All elements, by a permutation: nothing is held in memory but numbers.
struct Permuted : Indexed {
  Permuted(std::shared_ptr<const Indexed> from, uint64_t seed, int64_t pass)
      : before(std::move(from)), order(static_cast<size_t>(before->size())) {
    permute(order, seed, pass);
  }
  int64_t size() const override { return before->size(); }
  Element at(int64_t i) const override { return before->at(order[static_cast<size_t>(i)]); }
  std::shared_ptr<const Indexed> resolve(std::span<int64_t> numbers) const override {
    for (int64_t& number : numbers) number = order[static_cast<size_t>(number)];
    return before->resolve(numbers);
  }
  std::shared_ptr<const Indexed> before;
  std::vector<int64_t> order;
};

// A buffer out of which a random element is taken and replaced by the next one.
class Buffered : public Cursor {
 public:
  Buffered(const Stage& stage, std::unique_ptr<Cursor> before, int64_t buffer, uint64_t seed,
           int64_t pass)
      : of_batches_(stage.batch_rows() > 0),
        held_(stage.meter()),
        before_(std::move(before)),
        most_(static_cast<size_t>(buffer)),
        random_{seed},
        pass_(pass) {}

  bool next(Element& element) override {
    while (kept_.size() < most_ && !ended_) fill();
    if (kept_.empty()) return false;
    const auto words = random_(draws_++, static_cast<uint64_t>(pass_));
    const uint64_t n = kept_.size();
    Element& chosen = kept_[(words[0] * n + ((words[1] * n) >> 32)) >> 32];
    element = std::move(chosen);
    chosen = std::move(kept_.back());
    kept_.pop_back();
    held_.add(-counted(element));
    return true;
  }

 private:
  void fill() {
    Element read;
    ended_ = !before_->next(read);
    if (ended_) return;
    held_.add(counted(read));
    kept_.push_back(std::move(read));
  }
  // Batches are counted where their memory comes from.
  int64_t counted(const Element& element) const { return of_batches_ ? 0 : bytes_of(element); }

  const bool of_batches_;
  Held held_;

  std::unique_ptr<Cursor> before_;
  size_t most_;
  Philox random_;
  int64_t pass_;
  uint64_t draws_ = 0;
  std::vector<Element> kept_;
  bool ended_ = false;
};

constexpr int64_t most_permuted = int64_t{1} << 32;  // numbers in memory

std::shared_ptr<const Indexed> Shuffle::index(const Opening& opening) const {
  auto before = before_->index(opening);
  if (!before || before->size() > most_permuted) return nullptr;
  return std::make_shared<Permuted>(std::move(before), seed(opening), pass(opening));
}

std::unique_ptr<Cursor> Shuffle::open(const Opening& opening) const {
  if (auto all = index(opening)) return std::make_unique<IndexedCursor>(std::move(all));
  return std::make_unique<Buffered>(*this, before_->open(opening), buffer_, seed(opening),
                                    pass(opening));
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::shuffle(int64_t buffer_size, const ShuffleArgs& args, const From& from) const {
  return Dataset(std::make_shared<data::Shuffle>(stage_, buffer_size, args, from));
}

}  // namespace stoker
