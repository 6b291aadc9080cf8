#include "data/stage.h"

namespace stoker::data {
namespace {

class Filter : public Stage {
 public:
  Filter(StageRef before, std::function<bool(const Element&)> keeps,
         const std::source_location& created)
      : Stage("filter", created), before_(std::move(before)), keeps_(std::move(keeps)) {}
  int64_t cardinality() const override {
    return before_->cardinality() == 0 ? 0 : UNKNOWN_CARDINALITY;
  }
  std::optional<ElementSpec> spec() const override { return before_->spec(); }
  int64_t batch_rows() const override { return before_->batch_rows(); }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::optional<std::string> identity() const override { return ""; }

  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    struct Kept : Cursor {
      Kept(const Filter& of, std::unique_ptr<Cursor> from) : stage(of), before(std::move(from)) {}
      bool next(Element& element) override {
        while (before->next(element))
          if (stage.keeps(element, number++)) return true;
        return false;
      }
      void add_origins(std::vector<SampleOrigin>& to) const override { before->add_origins(to); }
      const Filter& stage;
      std::unique_ptr<Cursor> before;
      int64_t number = 0;
    };
    return std::make_unique<Kept>(*this, before_->open(opening));
  }

 private:
  bool keeps(const Element& element, int64_t number) const {
    const std::unique_lock turn(turns_);
    return call_for_element(*this, number, [&] { return keeps_(element); });
  }

  StageRef before_;
  std::function<bool(const Element&)> keeps_;
  mutable OneAtATime turns_;  // several threads may read
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::filter_element(Predicate function, const From& from) const {
  return Dataset(std::make_shared<data::Filter>(stage_, std::move(function), from));
}

}  // namespace stoker
