#include <fmt/format.h>

#include "data/check_spec.h"
#include "data/parts.h"

namespace stoker::data {
namespace {

// Both specs, if known, must have the same structure, dtypes and ranks.
void check_alike(const Stage& stage, const ElementSpec& a, const ElementSpec& b) {
  bool alike = a.structure == b.structure;
  for (size_t i = 0; alike && i < a.arrays.size(); ++i)
    alike = a.arrays[i].dtype == b.arrays[i].dtype && a.arrays[i].text == b.arrays[i].text &&
            a.arrays[i].shape.rank() == b.arrays[i].shape.rank();
  if (!alike)
    throw InvalidArgument(
        fmt::format("{}: the elements are {} and {}.", stage.where(), to_string(a), to_string(b)),
        "map one of the datasets to what the other gives.");
}

struct BothIndexed : Indexed {
  BothIndexed(std::shared_ptr<const Indexed> a, std::shared_ptr<const Indexed> b)
      : first(std::move(a)), second(std::move(b)) {}
  int64_t size() const override { return sum_of(first->size(), second->size()); }
  Element at(int64_t i) const override {
    return i < first->size() ? first->at(i) : second->at(i - first->size());
  }
  std::shared_ptr<const Indexed> resolve(std::span<int64_t> numbers) const override {
    const int64_t border = first->size();
    const bool behind = numbers[0] >= border;
    for (int64_t& number : numbers) {
      if ((number >= border) != behind) return nullptr;
      if (behind) number -= border;
    }
    return (behind ? second : first)->resolve(numbers);
  }
  void add_origins(int64_t i, std::vector<SampleOrigin>& to) const override {
    const int64_t border = first->size();
    i < border ? first->add_origins(i, to) : second->add_origins(i - border, to);
  }
  std::shared_ptr<const Indexed> first, second;
};

struct BothInTurn : Cursor {
  BothInTurn(std::unique_ptr<Cursor> a, std::unique_ptr<Cursor> b)
      : first(std::move(a)), second(std::move(b)) {}
  bool next(Element& element) override {
    in_first = first->next(element);
    return in_first || second->next(element);
  }
  int64_t skip(int64_t count) override {
    const int64_t done = first->skip(count);
    return done + second->skip(count - done);
  }
  void add_origins(std::vector<SampleOrigin>& to) const override {
    (in_first ? first : second)->add_origins(to);
  }
  std::unique_ptr<Cursor> first, second;
  bool in_first = true;  // source of the last element
};

class Concatenate : public Stage {
 public:
  Concatenate(StageRef first, StageRef second, const std::source_location& created)
      : Stage("concatenate", created), first_(std::move(first)), second_(std::move(second)) {
    const auto a = first_->spec(), b = second_->spec();
    if (a && b) check_alike(*this, *a, *b);
  }
  std::vector<const Stage*> inputs() const override { return {first_.get(), second_.get()}; }
  int64_t cardinality() const override {
    const int64_t a = first_->cardinality(), b = second_->cardinality();
    if (a == INFINITE_CARDINALITY || b == INFINITE_CARDINALITY) return INFINITE_CARDINALITY;
    return is_finite(a) && is_finite(b) ? sum_of(a, b) : UNKNOWN_CARDINALITY;
  }
  std::optional<ElementSpec> spec() const override {
    const auto a = first_->spec(), b = second_->spec();
    return a && b ? std::optional(common_spec(*a, *b)) : std::nullopt;
  }
  int64_t batch_rows() const override {
    return std::max(first_->batch_rows(), second_->batch_rows());
  }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    auto a = first_->index(opening), b = second_->index(of_second(opening));
    if (!a || !b || first_->cardinality() == INFINITE_CARDINALITY ||
        second_->cardinality() == INFINITE_CARDINALITY)
      return nullptr;
    return std::make_shared<BothIndexed>(std::move(a), std::move(b));
  }
  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    if (auto all = open_by_number(*this, opening)) return all;
    return std::make_unique<BothInTurn>(first_->open(opening), second_->open(of_second(opening)));
  }
  bool has_take() const override { return first_->has_take() || second_->has_take(); }
  std::unique_ptr<Cursor> open_past_errors(const Opening& opening) const override {
    if (!has_take()) return Stage::open_past_errors(opening);
    return std::make_unique<BothInTurn>(first_->open_past_errors(opening),
                                        second_->open_past_errors(of_second(opening)));
  }

 private:
  Opening of_second(const Opening& opening) const { return behind(opening, sources_of(*first_)); }
  StageRef first_, second_;
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::concatenate(const Dataset& other, const From& from) const {
  return Dataset(std::make_shared<data::Concatenate>(stage_, other.stage_, from));
}

}  // namespace stoker
