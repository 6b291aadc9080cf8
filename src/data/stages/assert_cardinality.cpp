#include <fmt/format.h>

#include "data/stage.h"

namespace stoker::data {
namespace {

[[noreturn]] void refuse(const Stage& stage, int64_t expected, const std::string& found) {
  throw InvalidArgument(
      fmt::format("{}: {} elements were asserted, but the dataset has {}.", stage.where(),
                  is_finite(expected) ? std::to_string(expected) : "infinitely many", found),
      "give the number that it has, or no number at all.");
}

class AssertCardinality : public Stage {
 public:
  AssertCardinality(StageRef before, int64_t expected, const std::source_location& created)
      : Stage("assert_cardinality", created), before_(std::move(before)), expected_(expected) {
    const int64_t known = before_->cardinality();
    if (expected_ != INFINITE_CARDINALITY && expected_ < 0)
      throw InvalidArgument(fmt::format("{}: {} is not a number of elements.", where(), expected_));
    if (known == INFINITE_CARDINALITY && expected_ >= 0) refuse(*this, expected_, "no end");
    if (is_finite(known) && known != expected_) refuse(*this, expected_, std::to_string(known));
  }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::optional<std::string> identity() const override { return ""; }
  int64_t cardinality() const override { return expected_; }
  std::optional<ElementSpec> spec() const override { return before_->spec(); }
  int64_t batch_rows() const override { return before_->batch_rows(); }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    auto elements = before_->index(opening);
    if (elements && is_finite(expected_)) check_end(elements->size());
    return elements;
  }
  std::unique_ptr<Cursor> open(const Opening& opening) const override;

  void check_end(int64_t given) const {
    if (given != expected_) refuse(*this, expected_, std::to_string(given));
  }
  void check_more(int64_t given) const {
    if (expected_ >= 0 && given > expected_)
      refuse(*this, expected_, fmt::format("at least {}", given));
  }

 private:
  StageRef before_;
  int64_t expected_;
};

struct Counted : Cursor {
  Counted(const AssertCardinality& of, std::unique_ptr<Cursor> from)
      : stage(of), before(std::move(from)) {}
  bool next(Element& element) override {
    const bool there = before->next(element);
    if (!there) stage.check_end(given);
    stage.check_more(given += there ? 1 : 0);
    return there;
  }
  int64_t skip(int64_t count) override {
    const int64_t done = before->skip(count);
    stage.check_more(given += done);
    if (done < count) stage.check_end(given);
    return done;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override { before->add_origins(to); }
  const AssertCardinality& stage;
  std::unique_ptr<Cursor> before;
  int64_t given = 0;
};

std::unique_ptr<Cursor> AssertCardinality::open(const Opening& opening) const {
  return std::make_unique<Counted>(*this, before_->open(opening));
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::assert_cardinality(int64_t expected, const From& from) const {
  return Dataset(std::make_shared<data::AssertCardinality>(stage_, expected, from));
}

}  // namespace stoker
