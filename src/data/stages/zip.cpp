#include <algorithm>
#include <exception>
#include <utility>

#include "data/sources/range.h"
#include "data/stage.h"
#include "stoker/interrupt.h"

namespace stoker::data {
namespace {

struct ZippedIndexed : Indexed {
  int64_t size() const override {
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const auto& part : parts) least = std::min(least, part->size());
    return least;
  }
  Element at(int64_t i) const override {
    std::vector<Element> elements;
    for (const auto& part : parts) elements.push_back(part->at(i));
    return Element::tuple(elements);
  }
  void add_origins(int64_t i, std::vector<SampleOrigin>& to) const override {
    for (const auto& part : parts) part->add_origins(i, to);
  }
  std::vector<std::shared_ptr<const Indexed>> parts;
};

struct ZippedInTurn : Cursor {
  // As in tf.data, every part makes a step even if another one failed or ended: elements that
  // belong together stay together, and caches get to their ends.
  bool next(Element& element) override {
    std::vector<Element> elements(parts.size());
    std::exception_ptr error, behind_the_end;  // the first ones
    bool there = true;
    for (size_t i = 0; i < parts.size(); ++i)
      there = step(i, elements[i], there ? error : behind_the_end) && there;
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
    if (there) element = Element::tuple(elements);
    return there;
  }
  int64_t skip(int64_t count) override {
    for (const auto& part : parts) count = part->skip(count);
    return count;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override {
    for (const auto& part : parts) part->add_origins(to);
  }
  bool step(size_t part, Element& element, std::exception_ptr& error) try {
    return parts[part]->next(element);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    if (!error) error = std::current_exception();
    return true;
  }
  std::vector<std::unique_ptr<Cursor>> parts;
};

// Elements of several datasets combined, as many as the shortest has.
class Zip : public Stage {
 public:
  Zip(std::vector<StageRef> parts, const std::source_location& created)
      : Stage("zip", created), parts_(std::move(parts)) {
    if (parts_.empty()) throw InvalidArgument("zip needs a dataset.");
  }
  std::vector<const Stage*> inputs() const override {
    std::vector<const Stage*> all;
    for (const auto& part : parts_) all.push_back(part.get());
    return all;
  }
  int64_t cardinality() const override {
    int64_t least = INFINITE_CARDINALITY;
    for (const auto& part : parts_) {
      const int64_t has = part->cardinality();
      if (has == UNKNOWN_CARDINALITY) return UNKNOWN_CARDINALITY;
      if (has != INFINITE_CARDINALITY)
        least = least == INFINITE_CARDINALITY ? has : std::min(least, has);
    }
    return least;
  }
  std::optional<ElementSpec> spec() const override {
    std::vector<Structure> structures;
    std::vector<TensorSpec> arrays;
    for (const auto& part : parts_) {
      const auto spec = part->spec();
      if (!spec) return std::nullopt;
      structures.push_back(spec->structure);
      arrays.insert(arrays.end(), spec->arrays.begin(), spec->arrays.end());
    }
    return ElementSpec{Structure::tuple(std::move(structures)), std::move(arrays)};
  }
  int64_t batch_rows() const override { return parts_[0]->batch_rows(); }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    auto zipped = std::make_shared<ZippedIndexed>();
    for (const auto& part : parts_) {
      zipped->parts.push_back(part->index(of_part(opening, zipped->parts.size())));
      if (!zipped->parts.back()) return nullptr;
    }
    return zipped;
  }
  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    if (auto all = open_by_number(*this, opening)) return all;
    auto zipped = std::make_unique<ZippedInTurn>();
    for (const auto& part : parts_)
      zipped->parts.push_back(part->open(of_part(opening, zipped->parts.size())));
    return zipped;
  }

 private:
  // The maps of each part have their own random numbers, unless they have a seed of their own: the
  // same seed gives an image and its mask the same augmentation.
  static Opening of_part(const Opening& opening, size_t part) {
    Opening inner = opening;
    inner.part = (opening.part + static_cast<uint64_t>(opening.stage) + 1) * 0x9E3779B97F4A7C15u +
                 uint64_t{part} * 0xC2B2AE3D27D4EB4Fu;
    return inner;
  }
  std::vector<StageRef> parts_;
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::zip(const std::vector<Dataset>& datasets, const From& from) {
  std::vector<data::StageRef> stages;
  for (const Dataset& dataset : datasets) stages.push_back(dataset.stage_);
  return Dataset(std::make_shared<data::Zip>(std::move(stages), from));
}

// Element i becomes (start + i, element).
Dataset Dataset::enumerate(int64_t start, const From& from) const {
  return zip({data::counting_from(start, from), *this}, from);
}

}  // namespace stoker
