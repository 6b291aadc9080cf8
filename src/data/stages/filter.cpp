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
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::optional<std::string> identity() const override { return ""; }

  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    struct Kept : Cursor {
      Kept(const Filter& of, std::unique_ptr<Cursor> from) : stage(of), before(std::move(from)) {}
      bool next(Element& element) override {
        while (before->next(element))
          if (call_for_element(stage, number++, [&] { return stage.keeps_(element); })) return true;
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
  StageRef before_;
  std::function<bool(const Element&)> keeps_;
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::filter_element(std::function<bool(const Element&)> function,
                                const From& from) const {
  return Dataset(std::make_shared<data::Filter>(stage_, std::move(function), from));
}

}  // namespace stoker
