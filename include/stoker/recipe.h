#pragma once
#include <memory>
#include <string>
#include <vector>

#include "stoker/model.h"

namespace stoker {

namespace nn {
class RecipeSource;
}

// A training as a TOML file says it: model, data, compile, fit, output. examples/README.md has all
// keys. Errors name the file and line; a key that does not exist names the nearest that does.
class Recipe {
 public:
  // Overrides are "fit.epochs=3", "model.layers.1.units=64"; the value is TOML, or else a string.
  explicit Recipe(const std::string& path, const std::vector<std::string>& overrides = {});
  ~Recipe();
  Recipe(Recipe&&) noexcept;

  const Config& config() const;  // with the overrides
  std::string to_toml() const;
  const std::string& path() const;

  std::unique_ptr<Model> make_model() const;  // compiled, if the recipe has a [compile]
  FitArgs make_fit_args() const;              // all but the data

  // The arrays of data.train, data.test or data.validation.
  bool has_data(const std::string& part) const;
  ValidationData load_data(const std::string& part) const;

  std::string device() const;  // where the model lives; empty: not said
  DTypePolicy dtype_policy() const;
  std::string output_folder() const;
  std::string monitor() const;  // the metric that says which epoch was the best

 private:
  void check() const;
  std::unique_ptr<nn::RecipeSource> source_;
};

struct TrainingOptions {
  int verbose = 1;
  std::vector<CallbackRef> callbacks = {};  // beside the recipe's own
};

struct TrainingResult {
  History history;
  Logs test;  // empty without test data, and after an interrupt
  std::string account;
  double samples_per_second = 0, seconds = 0;
  bool finite = true;              // false: the loss became NaN or infinite
  std::string folder;              // with best.safetensors, last.safetensors, history.json,
                                   // log.csv and recipe.toml
  std::vector<std::string> files;  // those of them that were written
};

// Checks everything, then reads the data, trains, saves after every epoch, and evaluates on the
// test data. After interrupt() the result is that of the epochs so far.
TrainingResult train(const Recipe& recipe, const TrainingOptions& options = {});

}  // namespace stoker
