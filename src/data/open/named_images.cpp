#include "data/open/named_images.h"

namespace stoker::data {
namespace {

ElementSpec without_name(const ElementSpec& spec) {
  std::vector<Structure> parts = spec.structure.parts();
  std::vector<TensorSpec> arrays = spec.arrays;
  parts.pop_back();
  arrays.pop_back();
  return {parts.size() == 1 ? parts[0] : Structure::tuple(std::move(parts)), std::move(arrays)};
}
Element without_name(const Element& element) {
  std::vector<Element> parts;
  for (size_t i = 0; i + 1 < element.size(); ++i) parts.push_back(element[i]);
  return parts.size() == 1 ? parts[0] : Element::tuple(parts);
}

class NamedImages : public ElementFunction {
 public:
  explicit NamedImages(image::Transform transform) : transform_(std::move(transform)) {}
  Element call(const Element& element, Random& random) const override {
    return named(element, [&] { return transform_.call(without_name(element), random); });
  }
  bool is_random() const override { return transform_.is_random(); }
  std::optional<ElementSpec> spec(const ElementSpec& of) const override {
    return transform_.spec(without_name(of));
  }
  void write(const Element& element, Random& random,
             const std::vector<std::byte*>& to) const override {
    named(element, [&] { transform_.write(without_name(element), random, to); });
  }

 private:
  template <class Run>
  static auto named(const Element& element, Run run) -> decltype(run()) {
    try {
      return run();
    } catch (Error& error) {
      error.add_where(std::string(element.arrays().back().text()));
      throw;
    }
  }
  image::Transform transform_;
};

}  // namespace

Dataset map_named_images(const Dataset& samples, const image::Transform& transform) {
  return samples.map(NamedImages(transform));
}

}  // namespace stoker::data
