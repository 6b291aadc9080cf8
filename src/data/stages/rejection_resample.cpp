#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/philox.h"
#include "data/stage.h"

namespace stoker::data {
namespace {

bool is_distribution(const std::vector<double>& dist) {
  return std::ranges::all_of(dist, [](double p) { return p >= 0; }) &&
         std::accumulate(dist.begin(), dist.end(), 0.0) > 0;
}

class RejectionResample : public Stage {
 public:
  RejectionResample(StageRef before, std::function<int64_t(const Element&)> class_of,
                    std::vector<double> target, const RejectionResampleArgs& args,
                    const std::source_location& created)
      : Stage("rejection_resample", created),
        before_(std::move(before)),
        class_of_(std::move(class_of)),
        target_(std::move(target)),
        args_(args) {
    const auto& initial = args_.initial_dist;
    if (!is_distribution(target_) || (!initial.empty() && !is_distribution(initial)) ||
        (!initial.empty() && initial.size() != target_.size()))
      throw InvalidArgument(
          fmt::format("{}: target_dist and initial_dist must be a frequency of each class, none "
                      "negative and not all 0, got {} and {}.",
                      where(), fmt::join(target_, ", "), fmt::join(initial, ", ")));
    for (size_t i = 0; i < initial.size(); ++i)
      if (initial[i] == 0 && target_[i] > 0)
        throw InvalidArgument(
            fmt::format("{}: class {} has {} in target_dist, but 0 in initial_dist: no element "
                        "could be kept.",
                        where(), i, target_[i]),
            "give initial_dist the frequencies that the classes have.");
  }
  int64_t cardinality() const override {
    return before_->cardinality() == 0 ? 0 : UNKNOWN_CARDINALITY;
  }
  std::optional<ElementSpec> spec() const override {
    const auto given = before_->spec();
    if (!given) return std::nullopt;
    ElementSpec spec{Structure::tuple({{}, given->structure}), {{DType::int64, {}}}};
    spec.arrays.insert(spec.arrays.end(), given->arrays.begin(), given->arrays.end());
    return spec;
  }
  bool is_random() const override { return true; }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::unique_ptr<Cursor> open(const Opening& opening) const override;

 private:
  friend class Resampled;
  size_t class_of(const Element& element, int64_t number) const {
    const std::unique_lock turn(turns_);
    return call_for_element(*this, number, [&] {
      const int64_t found = class_of_(element);
      if (found < 0 || found >= static_cast<int64_t>(target_.size()))
        throw InvalidArgument(fmt::format("class_func returned {}, but target_dist has {} classes.",
                                          found, target_.size()),
                              "classes are numbered from 0.");
      return static_cast<size_t>(found);
    });
  }

  StageRef before_;
  std::function<int64_t(const Element&)> class_of_;
  std::vector<double> target_;
  RejectionResampleArgs args_;
  mutable OneAtATime turns_;  // several threads may read
};

// An element is kept with the probability target / initial of its class, relative to the class with
// the largest.
class Resampled : public Cursor {
 public:
  Resampled(const RejectionResample& stage, const Opening& opening, std::unique_ptr<Cursor> before)
      : stage_(stage),
        random_{stage.args_.seed.value_or(opening.seed)},
        pass_(static_cast<uint64_t>(opening.pass)),
        before_(std::move(before)),
        initial_(stage.args_.initial_dist) {
    constexpr double as_if_seen = 10;  // of each class, as in tf.data
    if (initial_.empty()) initial_.assign(stage.target_.size(), as_if_seen);
  }
  bool next(Element& element) override {
    for (Element given; before_->next(given);) {
      const size_t its_class = stage_.class_of(given, number_++);
      if (stage_.args_.initial_dist.empty()) initial_[its_class] += 1;
      if (!keeps(its_class)) continue;
      element = Element::tuple({Array::scalar(static_cast<int64_t>(its_class)), given});
      return true;
    }
    return false;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override { before_->add_origins(to); }

 private:
  double ratio(size_t of) const {
    return stage_.target_[of] / std::max(initial_[of], std::numeric_limits<double>::min());
  }
  bool keeps(size_t its_class) {
    double most = 0;
    for (size_t i = 0; i < initial_.size(); ++i) most = std::max(most, ratio(i));
    const double drawn = random_(static_cast<uint64_t>(number_), pass_)[0] * 0x1p-32;
    return drawn * most < ratio(its_class);
  }

  const RejectionResample& stage_;
  const Philox random_;
  const uint64_t pass_;
  std::unique_ptr<Cursor> before_;
  std::vector<double> initial_;  // or the numbers of elements so far
  int64_t number_ = 0;
};

std::unique_ptr<Cursor> RejectionResample::open(const Opening& opening) const {
  return std::make_unique<Resampled>(*this, opening, before_->open(opening));
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::resample_element(Number class_of, const std::vector<double>& target_dist,
                                  const RejectionResampleArgs& args, const From& from) const {
  return Dataset(std::make_shared<data::RejectionResample>(stage_, std::move(class_of), target_dist,
                                                           args, from));
}

}  // namespace stoker
