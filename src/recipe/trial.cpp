#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/round_up.h"
#include "ledger/account.h"
#include "nn/model_impl.h"
#include "recipe/parts.h"
#include "stoker/recipe.h"

namespace stoker {
namespace {

constexpr double worth_keeping = 1.05;  // minimum speed-up
constexpr int64_t most_batch = 65536;

// Runs a few steps of a recipe's training and discards the results.
class Trial {
 public:
  explicit Trial(const Recipe& recipe)
      : args_(recipe.make_fit_args()), model_(recipe.make_model()) {
    if (!recipe.has_data("train"))
      throw InvalidArgument("\"data.train\" is missing.", "name the files in [data.train].");
    data_ = recipe.load_data("train", model_.get());
    model_->impl().fits.places = nn::places_in_recipe();
    args_.callbacks = {};
    args_.verbose = 0;
    args_.epochs = 1;
    args_.initial_epoch = 0;
    args_.sample_weight = data_.sample_weight;
    if (recipe.model_file().empty()) nn::adapt_layers(*model_, data_, args_.validation_split);
    args_.validation_split = 0;
  }

  // The first steps compile, and measure the time of one.
  Account run(double seconds) {
    fit(3);
    const double once = std::max(model_->account_data().step_seconds, 1e-6);
    fit(static_cast<int64_t>(std::clamp(seconds / once, 3.0, 1e5)));
    return model_->account_data();
  }
  Headroom headroom(HeadroomArgs args) {
    if (data_.dataset) return measure_headroom(*model_, *data_.dataset, args);
    args.batch_size = model_->impl().fits.last.batch_size;
    return measure_headroom(*model_, data_.x, data_.y, args);
  }
  Account account() const { return model_->account_data(); }

 private:
  void fit(int64_t steps) {
    if (data_.dataset) {
      args_.steps_per_epoch = steps;
      model_->fit(data_.dataset->repeat(), args_);
    } else {
      choose_epochs(steps);
      model_->fit(data_.x, data_.y, args_);
    }
  }
  // An epoch of arrays has at most as many steps as there are samples for. If fit chooses the
  // batch: one epoch.
  void choose_epochs(int64_t steps) {
    if (args_.batch_size <= 0) return;
    const int64_t batches = ceil_div(data_.x.at(0).length(), args_.batch_size);
    args_.steps_per_epoch = std::min(steps, batches);
    args_.epochs = std::max<int64_t>(1, steps / std::max<int64_t>(batches, 1));
  }

  FitArgs args_;
  std::unique_ptr<Model> model_;
  ValidationData data_;
};

double rate(const Account& account) {
  return account.step_seconds > 0 && account.steps > 0
             ? static_cast<double>(account.samples) / static_cast<double>(account.steps) /
                   account.step_seconds
             : 0;
}

// Tries one change after the other, each on top of those kept.
class Applying {
 public:
  Applying(std::string path, std::vector<RecipeChange>& changes)
      : path_(std::move(path)), changes_(changes), now_(rate_with(changes_)) {}

  std::vector<TriedChange> run() {
    const Recipe recipe = Recipe::with_changes(path_, changes_);
    try_batches(recipe.make_fit_args().batch_size);
    if (on_gpu_ && recipe.dtype_policy().name() == "float32")
      keep_if_faster({"dtype_policy", "mixed_bfloat16", "--apply"});
    return std::move(tried_);
  }

 private:
  double rate_with(const std::vector<RecipeChange>& changes) {
    const Account account = Trial(Recipe::with_changes(path_, changes)).run(1);
    on_gpu_ = account.device.find("gpu") != std::string::npos;
    return rate(account);
  }
  // A doubled batch may gain too little to be kept, or be measured on a busy machine, although the
  // next size gains enough: the search ends after two sizes in a row without a gain, or one that
  // could not be tried.
  void try_batches(int64_t now) {
    int lost = 0;
    for (int64_t batch = 2 * now; lost < 2 && batch > 0 && batch <= most_batch; batch *= 2) {
      lost = keep_if_faster({"fit.batch_size", batch, "--apply"}) ? 0 : lost + 1;
      if (!tried_.back().error.empty()) return;
    }
  }
  bool keep_if_faster(const RecipeChange& change) {
    std::vector<RecipeChange> with = changes_;
    with.push_back(change);
    TriedChange tried{change, now_};
    try {
      tried.after = rate_with(with);
    } catch (const Error& error) {  // for example out of memory
      tried.error = error.what();
    }
    tried.kept = tried.after > worth_keeping * tried.before;
    if (tried.kept) {
      changes_ = std::move(with);
      now_ = tried.after;
    }
    tried_.push_back(tried);
    return tried.kept;
  }

  const std::string path_;
  std::vector<RecipeChange>& changes_;
  bool on_gpu_ = false;
  double now_;
  std::vector<TriedChange> tried_;
};

}  // namespace

Account try_training(const Recipe& recipe, double seconds) { return Trial(recipe).run(seconds); }

RecipeHeadroom measure_headroom(const Recipe& recipe, const HeadroomArgs& args) {
  Trial trial(recipe);
  trial.run(1);
  RecipeHeadroom found;
  found.headroom = trial.headroom(args);
  found.now = trial.account();
  return found;
}

std::string RecipeHeadroom::to_string() const {
  const double fed = headroom.sizes.front().step_seconds;
  return stoker::to_text(now) +
         fmt::format(
             "HEADROOM           {:.3f} ms a step now, {:.3f} ms from batches that lie on the "
             "device: a perfect input pipeline is {:.2f} times as fast\n",
             1e3 * now.step_seconds, 1e3 * fed, std::max(1.0, now.step_seconds / fed)) +
         headroom.to_string();
}

std::string TriedChange::to_string() const {
  const std::string what = fmt::format("{} = {}", change.key, change.value.to_string());
  if (!error.empty()) return fmt::format("{}: not possible: {}", what, error);
  return fmt::format("{}: {:.0f} samples/s instead of {:.0f}: {}", what, after, before,
                     kept ? "kept" : "not kept");
}

std::vector<TriedChange> apply_advice(const std::string& path, std::vector<RecipeChange>& changes) {
  return Applying(path, changes).run();
}

}  // namespace stoker
