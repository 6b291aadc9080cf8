#include "core/philox.h"
#include "data/origins.h"

namespace stoker::data {
namespace {

struct Drawn : Indexed {
  Drawn(uint64_t seed, int64_t of_pass) : random{seed}, pass(static_cast<uint64_t>(of_pass)) {}
  int64_t size() const override { return std::numeric_limits<int64_t>::max(); }
  Element at(int64_t i) const override {
    return Array::scalar<int64_t>(random(static_cast<uint64_t>(i), pass)[0]);
  }
  Philox random;
  uint64_t pass;
};

class RandomNumbers : public Stage {
 public:
  RandomNumbers(const RandomDatasetArgs& args, const std::source_location& created)
      : Stage("random", created), args_(args) {}
  int64_t cardinality() const override { return INFINITE_CARDINALITY; }
  std::optional<ElementSpec> spec() const override {
    return spec_of(Element(Array::scalar<int64_t>(0)));
  }
  bool is_random() const override { return args_.rerandomize_each_iteration; }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    constexpr uint64_t stream = 0x52616E646F6DE5A1u;  // other numbers than those of stages
    auto all = std::make_shared<Drawn>(args_.seed.value_or(opening.seed) ^ stream,
                                       args_.rerandomize_each_iteration ? opening.pass : 0);
    return opening.numbers_only ? numbered(*this, std::move(all)) : all;
  }

 private:
  RandomDatasetArgs args_;
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::random(const RandomDatasetArgs& args, const From& from) {
  return Dataset(std::make_shared<data::RandomNumbers>(args, from));
}

}  // namespace stoker
