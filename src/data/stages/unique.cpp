#include <fmt/format.h>

#include <string>
#include <unordered_set>

#include "data/stage.h"
#include "data/tuning/byte_account.h"

namespace stoker::data {
namespace {

bool can_be_compared(const TensorSpec& spec) {
  switch (spec.dtype) {
    case DType::float16:
    case DType::bfloat16:
    case DType::float32:
    case DType::float64:
      return spec.text;
    default:
      return true;
  }
}

// The same for equal arrays only.
std::string key_of(const Array& array) {
  std::string key;
  const auto add = [&](const auto& number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  for (int axis = 0; axis < array.shape().rank(); ++axis) add(array.shape()[axis]);
  if (!array.holds_strings())
    return key.append(reinterpret_cast<const char*>(array.raw()), array.bytes());
  for (int64_t i = 0; i < array.size(); ++i) {
    add(array.text(i).size());
    key += array.text(i);
  }
  return key;
}

class Unique : public Stage {
 public:
  Unique(StageRef before, const std::source_location& created)
      : Stage("unique", created), before_(std::move(before)) {
    if (const auto spec = before_->spec()) {
      try {
        check(*spec);
      } catch (Error& error) {
        error.add_where(where());
        throw;
      }
    }
  }
  int64_t cardinality() const override {
    return before_->cardinality() == 0 ? 0 : UNKNOWN_CARDINALITY;
  }
  std::optional<ElementSpec> spec() const override { return before_->spec(); }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::optional<std::string> identity() const override { return ""; }
  std::unique_ptr<Cursor> open(const Opening& opening) const override;

  static void check(const ElementSpec& spec) {
    if (!spec.structure.is_array() || !can_be_compared(spec.arrays[0]))
      throw InvalidArgument(fmt::format("unique needs elements that are one array of integers or "
                                        "strings, but they are {}.",
                                        to_string(spec)),
                            "map them to their keys.");
  }

 private:
  StageRef before_;
};

class FirstOnes : public Cursor {
 public:
  FirstOnes(const Unique& stage, std::unique_ptr<Cursor> before)
      : stage_(stage), before_(std::move(before)), held_(stage.meter()) {}
  bool next(Element& element) override {
    while (before_->next(element))
      if (call_for_element(stage_, number_++, [&] { return is_new(element); })) return true;
    return false;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override { before_->add_origins(to); }

 private:
  bool is_new(const Element& element) {
    Unique::check(spec_of(element));
    std::string key = key_of(element.array());
    constexpr size_t node = 64;  // of the set
    const auto bytes = static_cast<int64_t>(node + key.capacity());
    if (!seen_.insert(std::move(key)).second) return false;
    held_.add(bytes);
    return true;
  }

  const Unique& stage_;
  std::unique_ptr<Cursor> before_;
  HeldBeside held_;
  std::unordered_set<std::string> seen_;
  int64_t number_ = 0;
};

std::unique_ptr<Cursor> Unique::open(const Opening& opening) const {
  return std::make_unique<FirstOnes>(*this, before_->open(opening));
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::unique(const From& from) const {
  return Dataset(std::make_shared<data::Unique>(stage_, from));
}

}  // namespace stoker
