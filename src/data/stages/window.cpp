#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "data/sources/held_elements.h"

namespace stoker::data {
namespace {

// The window's size, shift and stride.
struct Stride {
  int64_t size, shift, stride;
  bool drops;

  int64_t span() const { return sum_of(product_of(size - 1, stride), 1); }
  // As in tf.data: a window starts as long as there is an element or, with drop_remainder, its last
  // one.
  int64_t of(int64_t elements) const {
    const int64_t needed = drops ? span() : 1;
    return elements < needed ? 0 : (elements - needed) / shift + 1;
  }
};

struct WindowsIndexed : Indexed {
  WindowsIndexed(std::shared_ptr<const Indexed> from, const Stride& how)
      : before(std::move(from)), form(how) {}
  int64_t size() const override { return form.of(before->size()); }
  Element at(int64_t i) const override {
    std::vector<Element> elements;
    const int64_t first = i * form.shift,
                  end = first + std::min(form.span(), before->size() - first);
    for (int64_t k = first; k < end; k += form.stride) elements.push_back(before->at(k));
    return Element::tuple(elements);
  }
  std::shared_ptr<const Indexed> before;
  Stride form;
};

struct WindowsInTurn : Cursor {
  WindowsInTurn(std::unique_ptr<Cursor> from, const Stride& how)
      : before(std::move(from)), form(how) {}
  bool next(Element& window) override {
    Element read;
    while (!ended && static_cast<int64_t>(held.size()) < form.span()) {
      ended = !before->next(read);
      if (!ended) held.push_back(std::move(read));
    }
    const auto there = static_cast<int64_t>(held.size());
    if (there == 0 || (form.drops && there < form.span())) return false;
    std::vector<Element> elements;
    for (int64_t k = 0; k < std::min(there, form.span()); k += form.stride)
      elements.push_back(held[static_cast<size_t>(k)]);
    window = Element::tuple(elements);
    const int64_t gone = std::min(form.shift, there);
    held.erase(held.begin(), held.begin() + gone);
    if (gone < form.shift && !ended) ended = before->skip(form.shift - gone) < form.shift - gone;
    return true;
  }
  std::unique_ptr<Cursor> before;
  Stride form;
  std::deque<Element> held;  // from the next window's first element on
  bool ended = false;
};

class WindowStage : public Stage {
 public:
  WindowStage(StageRef before, const Stride& form, const std::source_location& created)
      : Stage("window", created), before_(std::move(before)), form_(form) {
    if (form_.size < 1 || form_.shift < 1 || form_.stride < 1)
      throw InvalidArgument(
          fmt::format("{}: size, shift and stride must be positive, got {}, {} and {}.", where(),
                      form_.size, form_.shift, form_.stride));
  }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  int64_t cardinality() const override {
    const int64_t elements = before_->cardinality();
    return is_finite(elements) ? form_.of(elements) : elements;
  }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    auto before = before_->index(opening);
    return before ? std::make_shared<WindowsIndexed>(std::move(before), form_) : nullptr;
  }
  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    if (auto all = index(opening)) return std::make_unique<IndexedCursor>(std::move(all));
    return std::make_unique<WindowsInTurn>(before_->open(opening), form_);
  }

 private:
  StageRef before_;
  Stride form_;
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Windows Dataset::window(int64_t size, const WindowArgs& args, const From& from) const {
  const data::Stride form{size, args.shift == 0 ? size : args.shift, args.stride,
                          args.drop_remainder};
  return {Dataset(std::make_shared<data::WindowStage>(stage_, form, from)), from};
}

Dataset Windows::dataset_of(const Element& window, const Dataset::From& created) {
  std::vector<Element> elements;
  for (size_t i = 0; i < window.size(); ++i) elements.push_back(window[i]);
  return data::dataset_of(std::move(elements), "window", created);
}

std::vector<Dataset> Windows::as_list() const {
  std::vector<Dataset> all;
  for (const Element& window : windows_) all.push_back(dataset_of(window, created_));
  return all;
}

}  // namespace stoker
