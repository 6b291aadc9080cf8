#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/philox.h"
#include "data/parts.h"

namespace stoker::data {
namespace {

// Elements of several datasets, each from the one that choose() returns; nothing: the end.
class FromSeveral : public Cursor {
 public:
  FromSeveral(std::vector<std::unique_ptr<Cursor>> inputs, bool stops,
              std::function<std::optional<size_t>()> choose)
      : inputs_(std::move(inputs)),
        left_(inputs_.size() -
              static_cast<size_t>(std::count(inputs_.begin(), inputs_.end(), nullptr))),
        stops_(stops),
        choose_(std::move(choose)) {}
  bool next(Element& element) override {
    while (left_ > 0) {
      const auto chosen = choose_();
      if (!chosen) return false;
      auto& input = inputs_[*chosen];
      if (!input) {
        throw_if_cancelled();
        continue;
      }
      latest_ = input.get();
      if (input->next(element)) return true;
      input.reset();
      left_ = stops_ ? 0 : left_ - 1;
    }
    return false;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override { latest_->add_origins(to); }

 private:
  std::vector<std::unique_ptr<Cursor>> inputs_;  // null: exhausted, or never chosen
  const Cursor* latest_ = nullptr;               // source of the last element
  size_t left_;
  bool stops_;
  std::function<std::optional<size_t>()> choose_;
};

class Several : public Stage {
 public:
  Several(const char* name, std::vector<StageRef> inputs, bool stops,
          const std::source_location& created)
      : Stage(name, created), inputs_(std::move(inputs)), stops_(stops) {
    if (inputs_.empty()) throw InvalidArgument(fmt::format("{} needs a dataset.", where()));
  }
  int64_t cardinality() const override {
    bool any = false, all = true;  // are they infinite?
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!may_choose(i)) continue;
      const bool infinite = inputs_[i]->cardinality() == INFINITE_CARDINALITY;
      any = any || infinite;
      all = all && infinite;
    }
    const bool goes_on = any && !stops_ && choices() == INFINITE_CARDINALITY;
    return all || goes_on ? choices() : UNKNOWN_CARDINALITY;
  }
  std::optional<ElementSpec> spec() const override {
    const auto first = inputs_[0]->spec();
    for (const StageRef& input : inputs_)
      if (input->spec() != first) return std::nullopt;
    return first;
  }
  int64_t batch_rows() const override {
    int64_t most = 0;
    for (const StageRef& input : inputs_) most = std::max(most, input->batch_rows());
    return most;
  }
  std::vector<const Stage*> inputs() const override {
    std::vector<const Stage*> all;
    for (const StageRef& input : inputs_) all.push_back(input.get());
    return all;
  }

 protected:
  virtual int64_t choices() const = 0;
  virtual bool may_choose(size_t input) const { return input < inputs_.size(); }
  std::unique_ptr<Cursor> opened(const Opening& opening,
                                 std::function<std::optional<size_t>()> choose) const {
    std::vector<std::unique_ptr<Cursor>> cursors;
    size_t sources = 0;
    for (size_t i = 0; i < inputs_.size(); sources += sources_of(*inputs_[i++]))
      cursors.push_back(may_choose(i) ? inputs_[i]->open(behind(opening, sources)) : nullptr);
    return std::make_unique<FromSeveral>(std::move(cursors), stops_, std::move(choose));
  }
  size_t count() const { return inputs_.size(); }
  Opening behind_all(const Opening& opening) const {
    size_t sources = 0;
    for (const StageRef& input : inputs_) sources += sources_of(*input);
    return behind(opening, sources);
  }

 private:
  std::vector<StageRef> inputs_;
  bool stops_;
};

class ChooseFrom : public Several {
 public:
  ChooseFrom(std::vector<StageRef> inputs, StageRef which, bool stops,
             const std::source_location& created)
      : Several("choose_from_datasets", std::move(inputs), stops, created),
        which_(std::move(which)) {
    const auto spec = which_->spec();
    if (spec && to_string(*spec) != "int64()")
      throw InvalidArgument(
          fmt::format("{}: choices must be numbers of datasets, int64(), but are {}.", where(),
                      to_string(*spec)));
  }
  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    return opened(opening,
                  [this, cursor = std::shared_ptr(which_->open(behind_all(opening))),
                   number = int64_t{0}]() mutable -> std::optional<size_t> {
                    Element choice;
                    if (!cursor->next(choice)) return std::nullopt;
                    return at_element(*this, number++,
                                      [&] { return place_of_choice(choice.array()); });
                  });
  }

 private:
  int64_t choices() const override { return which_->cardinality(); }
  size_t place_of_choice(const Array& choice) const {
    const auto place = static_cast<int64_t>(choice.at(0));
    if (place < 0 || place >= static_cast<int64_t>(count()))
      throw InvalidArgument(fmt::format("dataset {} was chosen of {}.", place, count()),
                            "they are counted from 0.");
    return static_cast<size_t>(place);
  }
  StageRef which_;
};

class SampleFrom : public Several {
 public:
  SampleFrom(std::vector<StageRef> inputs, const SampleFromArgs& args,
             const std::source_location& created)
      : Several("sample_from_datasets", std::move(inputs), args.stop_on_empty_dataset, created),
        seed_(args.seed),
        upto_(args.weights.empty() ? std::vector<double>(count(), 1) : args.weights) {
    const bool wrong = std::any_of(upto_.begin(), upto_.end(), [](double w) { return !(w >= 0); });
    std::partial_sum(upto_.begin(), upto_.end(), upto_.begin());
    if (wrong || upto_.size() != count() || !(upto_.back() > 0) || !std::isfinite(upto_.back()))
      throw InvalidArgument(fmt::format(
          "{}: weights must be {} numbers, finite, none negative and not all 0, got {}.", where(),
          count(), fmt::join(args.weights, ", ")));
  }
  bool is_random() const override { return true; }
  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    const Philox random{seed_.value_or(opening.seed)};
    const auto pass = static_cast<uint64_t>(opening.pass);
    return opened(opening, [this, random, pass, draw = uint64_t{0}]() mutable {
      const double at = random(draw++, pass)[0] * 0x1p-32 * upto_.back();
      const auto found = std::upper_bound(upto_.begin(), upto_.end(), at);
      return std::optional(static_cast<size_t>(found - upto_.begin()));
    });
  }

 private:
  int64_t choices() const override { return INFINITE_CARDINALITY; }
  bool may_choose(size_t input) const override {
    return upto_[input] > (input == 0 ? 0 : upto_[input - 1]);
  }
  std::optional<uint64_t> seed_;
  std::vector<double> upto_;  // cumulative weights
};

std::vector<StageRef> stages_of(const std::vector<Dataset>& datasets) {
  std::vector<StageRef> stages;
  for (const Dataset& dataset : datasets) stages.push_back(dataset.stage());
  return stages;
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::sample_from_datasets(const std::vector<Dataset>& datasets,
                                      const SampleFromArgs& args, const From& from) {
  return Dataset(std::make_shared<data::SampleFrom>(data::stages_of(datasets), args, from));
}

Dataset Dataset::choose_from_datasets(const std::vector<Dataset>& datasets, const Dataset& choices,
                                      const ChooseFromArgs& args, const From& from) {
  return Dataset(std::make_shared<data::ChooseFrom>(data::stages_of(datasets), choices.stage(),
                                                    args.stop_on_empty_dataset, from));
}

}  // namespace stoker
