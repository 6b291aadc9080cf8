#include <fmt/format.h>

#include "data/check_spec.h"
#include "data/stage.h"

namespace stoker::data {
namespace {

class FromGenerator : public Stage {
 public:
  FromGenerator(std::function<Dataset::Generator()> begin, ElementSpec signature,
                const std::source_location& created)
      : Stage("from_generator", created),
        begin_(std::move(begin)),
        signature_(std::move(signature)) {}
  int64_t cardinality() const override { return UNKNOWN_CARDINALITY; }
  std::optional<ElementSpec> spec() const override { return signature_; }

  std::unique_ptr<Cursor> open(const Opening&) const override {
    struct Generated : Cursor {
      explicit Generated(const FromGenerator& of) : stage(of), generate(of.begun()) {}
      bool next(Element& element) override {
        if (ended) return false;
        auto made = call_for_element(stage, number, [&] { return generate(); });
        ended = !made;
        if (ended) return false;
        at_element(stage, number, [&] { check_spec(*made, stage.signature_, "output_signature"); });
        element = std::move(*made);
        ++number;
        return true;
      }
      void add_origins(std::vector<SampleOrigin>& to) const override {
        to.push_back({.source = stage.where(), .number = number - 1});
      }
      const FromGenerator& stage;
      Dataset::Generator generate;
      int64_t number = 0;
      bool ended = false;
    };
    return std::make_unique<Generated>(*this);
  }

 private:
  Dataset::Generator begun() const {
    return at_element(*this, 0, [&] {
      const CurrentCall call(name(), created(), 0);
      return begin_();
    });
  }
  std::function<Dataset::Generator()> begin_;
  ElementSpec signature_;
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::from_generator(std::function<Generator()> begin, const ElementSpec& signature,
                                const From& from) {
  return Dataset(std::make_shared<data::FromGenerator>(std::move(begin), signature, from));
}

}  // namespace stoker
