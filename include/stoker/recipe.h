#pragma once
#include <memory>
#include <string>
#include <vector>

#include "stoker/headroom.h"
#include "stoker/model.h"

namespace stoker {

namespace nn {
class RecipeSource;
}

struct TrainingResult {
  History history;
  Logs test;  // empty without test data, and after an interrupt
  std::string account;
  Account account_data;
  double samples_per_second = 0, seconds = 0;
  bool finite = true;              // false: the loss or a weight became NaN or infinite
  int64_t kept_epoch = 0;          // then, whose weights the files hold, from 1 on; 0: none
  std::string resumed;             // "resumed from FILE: epoch 8"; empty: from the start
  std::string folder;              // with best.safetensors, last.safetensors, history.json,
                                   // log.csv, recipe.toml and run.json
  std::vector<std::string> files;  // those of them that were written
  std::string saved;               // the trained model's file; empty: none was written
  std::string report;              // the page of the run; empty: none was written
};

// A key of a recipe with another value, and what messages call its place, such as "--epochs".
struct RecipeChange {
  std::string key;
  Config value;
  std::string place;
};
// "fit.epochs=3", "model.layers.1.units=64": the value is TOML, or else a string.
RecipeChange parse_change(const std::string& assignment);

// A training as a TOML file says it: model, data, compile, fit, checkpoint, output.
// examples/README.md has all keys. Errors name the file and line; a key that does not exist names
// the nearest that does. A model file (.keras, .h5) is a recipe that has only that model.
class Recipe {
 public:
  explicit Recipe(const std::string& path, const std::vector<std::string>& overrides = {});
  static Recipe with_changes(const std::string& path, const std::vector<RecipeChange>& changes);
  ~Recipe();
  Recipe(Recipe&&) noexcept;

  const Config& config() const;  // with the overrides
  std::string to_toml() const;
  const std::string& path() const;

  std::unique_ptr<Model> make_model() const;  // compiled, if the recipe has a [compile]
  FitArgs make_fit_args() const;              // all but the data

  // The arrays of data.train, data.test or data.validation, or the dataset that it names; the model
  // says what labels and inputs are wanted of that.
  bool has_data(const std::string& part) const;
  ValidationData load_data(const std::string& part, const Model* model = nullptr) const;
  // The samples that fit uses for "train" or "validation": with fit.validation_split, "validation"
  // is the end of data.train and "train" the rest.
  ValidationData used_data(const std::string& part, const Model* model = nullptr) const;

  std::string device() const;  // where the model lives; empty: not said
  DTypePolicy dtype_policy() const;
  std::string model_file() const;     // empty: the recipe describes the model itself
  std::string output_folder() const;  // empty: none
  std::string save_file() const;      // the trained model; empty: not saved
  std::string history_file() const;   // empty: not saved
  std::string monitor() const;        // the metric that says which epoch was the best

 private:
  explicit Recipe(std::unique_ptr<nn::RecipeSource> source);
  void check() const;
  friend TrainingResult train(const Recipe& recipe, const struct TrainingOptions& options);
  std::unique_ptr<nn::RecipeSource> source_;
};

struct TrainingOptions {
  int verbose = 1;
  Callbacks callbacks = {};  // beside the recipe's own
  std::string report = {};   // FILE.html: a page of the run, with its record as FILE.json
  ProfileSteps profile = {};
};

// Checks everything, then reads the data, trains, saves after every epoch, and evaluates on the
// test data. After interrupt() the result is that of the epochs so far. A loss of NaN ends the
// training; files keep the last finite weights.
TrainingResult train(const Recipe& recipe, const TrainingOptions& options = {});

// Trains the recipe's model for about so many seconds and keeps nothing of it: no file is written.
Account try_training(const Recipe& recipe, double seconds = 1);

// What the recipe's training could be: as it is now, and from batches that lie on the device.
struct RecipeHeadroom {
  Account now;
  Headroom headroom;
  std::string to_string() const;
};
RecipeHeadroom measure_headroom(const Recipe& recipe, const HeadroomArgs& args = {});

// A change of the recipe that was tried.
struct TriedChange {
  RecipeChange change;
  double before = 0, after = 0;  // samples per second
  bool kept = false;
  std::string error = {};         // why it could not be tried
  std::string to_string() const;  // in one line
};
// Tries larger batches and, on a GPU, mixed precision: a few steps before and after each change,
// which is kept only if it won. `changes` are those that the recipe has already; the ones to keep
// are added. What is automatic anyway (prefetch, threads, steps per launch) is not tried.
std::vector<TriedChange> apply_advice(const std::string& path, std::vector<RecipeChange>& changes);

}  // namespace stoker
