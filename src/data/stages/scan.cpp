#include <fmt/format.h>

#include "data/stage.h"

namespace stoker::data {
namespace {

using Function = std::function<std::pair<Element, Element>(const Element&, const Element&)>;

// Structures and types, without shapes.
bool are_of_one_type(const Element& a, const Element& b) {
  bool alike = a.structure() == b.structure();
  for (size_t i = 0; alike && i < a.arrays().size(); ++i)
    alike = a.arrays()[i].dtype() == b.arrays()[i].dtype() &&
            a.arrays()[i].holds_strings() == b.arrays()[i].holds_strings();
  return alike;
}

class Scan : public Stage {
 public:
  Scan(StageRef before, Element initial, Function function, const std::source_location& created)
      : Stage("scan", created),
        before_(std::move(before)),
        initial_(std::move(initial)),
        function_(std::move(function)) {}
  int64_t cardinality() const override { return before_->cardinality(); }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }

  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    struct Scanned : Cursor {
      Scanned(const Scan& of, std::unique_ptr<Cursor> from)
          : stage(of), before(std::move(from)), state(of.initial_) {}
      bool next(Element& element) override {
        Element given;
        if (!before->next(given)) return false;
        auto [after, made] = stage.call(state, given, number++);
        state = std::move(after);
        element = std::move(made);
        return true;
      }
      void add_origins(std::vector<SampleOrigin>& to) const override { before->add_origins(to); }
      const Scan& stage;
      std::unique_ptr<Cursor> before;
      Element state;
      int64_t number = 0;
    };
    return std::make_unique<Scanned>(*this, before_->open(opening));
  }

 private:
  std::pair<Element, Element> call(const Element& state, const Element& element,
                                   int64_t number) const {
    const std::unique_lock turn(turns_);
    return call_for_element(*this, number, [&] {
      auto made = function_(state, element);
      if (!are_of_one_type(made.first, initial_))
        throw InvalidArgument(
            fmt::format("the new state is {}, but the initial_state is {}.",
                        to_string(spec_of(made.first)), to_string(spec_of(initial_))),
            "return the pair (state, element), the state of one type.");
      return made;
    });
  }

  StageRef before_;
  Element initial_;
  Function function_;
  mutable OneAtATime turns_;  // several threads may read
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::scan_element(const Element& initial_state, Scan function, const From& from) const {
  return Dataset(std::make_shared<data::Scan>(stage_, initial_state, std::move(function), from));
}

}  // namespace stoker
