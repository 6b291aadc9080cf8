#include "data/sources/held_elements.h"

#include "data/check_spec.h"

namespace stoker::data {
namespace {

bool have_one_spec(const ElementSpec& a, const ElementSpec& b) {
  bool alike = a.structure == b.structure;
  for (size_t i = 0; alike && i < a.arrays.size(); ++i)
    alike = a.arrays[i].dtype == b.arrays[i].dtype && a.arrays[i].text == b.arrays[i].text &&
            a.arrays[i].shape.rank() == b.arrays[i].shape.rank();
  return alike;
}

class HeldElements : public Stage {
 public:
  HeldElements(std::vector<Element> elements, const char* name, const std::source_location& created)
      : Stage(name, created), all_(std::make_shared<All>(std::move(elements))) {}
  int64_t cardinality() const override { return all_->size(); }
  std::optional<ElementSpec> spec() const override {
    std::optional<ElementSpec> common;
    for (const Element& element : all_->elements) {
      const ElementSpec one = spec_of(element);
      if (common && !have_one_spec(*common, one)) return std::nullopt;
      common = common ? common_spec(*common, one) : one;
    }
    return common;
  }
  std::shared_ptr<const Indexed> index(const Opening&) const override { return all_; }

 private:
  struct All : Indexed {
    explicit All(std::vector<Element> given) : elements(std::move(given)) {}
    int64_t size() const override { return static_cast<int64_t>(elements.size()); }
    Element at(int64_t i) const override { return elements[static_cast<size_t>(i)]; }
    std::vector<Element> elements;
  };
  std::shared_ptr<const All> all_;
};

}  // namespace

Dataset dataset_of(std::vector<Element> elements, const char* name,
                   const std::source_location& created) {
  return Dataset(std::make_shared<HeldElements>(std::move(elements), name, created));
}

}  // namespace stoker::data
