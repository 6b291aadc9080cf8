#include "data/stage.h"

namespace stoker::data {
namespace {

class TakeWhile : public Stage {
 public:
  TakeWhile(StageRef before, std::function<bool(const Element&)> goes_on,
            const std::source_location& created)
      : Stage("take_while", created), before_(std::move(before)), goes_on_(std::move(goes_on)) {}
  int64_t cardinality() const override {
    return before_->cardinality() == 0 ? 0 : UNKNOWN_CARDINALITY;
  }
  std::optional<ElementSpec> spec() const override { return before_->spec(); }
  int64_t batch_rows() const override { return before_->batch_rows(); }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::optional<std::string> identity() const override { return ""; }

  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    struct Taken : Cursor {
      Taken(const TakeWhile& of, std::unique_ptr<Cursor> from)
          : stage(of), before(std::move(from)) {}
      bool next(Element& element) override {
        ended = ended || !before->next(element) || !stage.goes_on(element, number++);
        return !ended;
      }
      void add_origins(std::vector<SampleOrigin>& to) const override { before->add_origins(to); }
      const TakeWhile& stage;
      std::unique_ptr<Cursor> before;
      int64_t number = 0;
      bool ended = false;
    };
    return std::make_unique<Taken>(*this, before_->open(opening));
  }

 private:
  bool goes_on(const Element& element, int64_t number) const {
    const std::unique_lock turn(turns_);
    return call_for_element(*this, number, [&] { return goes_on_(element); });
  }

  StageRef before_;
  std::function<bool(const Element&)> goes_on_;
  mutable OneAtATime turns_;  // several threads may read
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::take_while_element(Predicate predicate, const From& from) const {
  return Dataset(std::make_shared<data::TakeWhile>(stage_, std::move(predicate), from));
}

}  // namespace stoker
