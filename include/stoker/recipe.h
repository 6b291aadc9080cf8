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
  int64_t kept_epoch = 0;          // if so, the epoch of the saved weights, from 1; 0: none
  std::string resumed;             // "resumed from FILE: epoch 8"; empty: from the beginning
  std::string folder;              // with best.safetensors, last.safetensors, history.json,
                                   // log.csv, recipe.toml and run.json
  std::vector<std::string> files;  // those that were written
  std::string unsaved;             // why the last weights are not there; empty: they are
  std::string saved;               // the trained model; empty: none
  std::string report;              // the report page; empty: none
};

// A changed key of a recipe, and the place named in messages, such as "--epochs".
struct RecipeChange {
  std::string key;
  Config value;
  std::string place;
};
// "fit.epochs=3", "model.layers.1.units=64": the value is TOML, else a string.
RecipeChange parse_change(const std::string& assignment);

// A training described by a TOML file: model, data, compile, fit, checkpoint, output.
// examples/README.md lists all keys. Errors name the file and line; an unknown key names the most
// similar known one. A model file (.keras, .h5) is a recipe with only that model.
class Recipe {
 public:
  explicit Recipe(const std::string& path, const std::vector<std::string>& overrides = {});
  static Recipe with_changes(const std::string& path, const std::vector<RecipeChange>& changes);
  ~Recipe();
  Recipe(Recipe&&) noexcept;

  const Config& config() const;  // with the changes applied
  std::string to_toml() const;
  const std::string& path() const;

  std::unique_ptr<Model> make_model() const;  // compiled, if the recipe has a [compile]
  FitArgs make_fit_args() const;              // without the data

  // The arrays of data.train, data.test or data.validation, or the dataset named there; the model
  // determines the form of labels and inputs.
  bool has_data(const std::string& part) const;
  ValidationData load_data(const std::string& part, const Model* model = nullptr) const;
  // The samples that fit uses for "train" or "validation": with fit.validation_split, "validation"
  // is the end of data.train and "train" the rest.
  ValidationData used_data(const std::string& part, const Model* model = nullptr) const;

  std::string device() const;  // of the model; empty: not given
  DTypePolicy dtype_policy() const;
  std::string model_file() const;     // empty: the recipe describes the model itself
  std::string output_folder() const;  // empty: none
  std::string save_file() const;      // the trained model; empty: none
  std::string history_file() const;   // empty: none
  std::string monitor() const;        // the metric that determines the best epoch

 private:
  explicit Recipe(std::unique_ptr<nn::RecipeSource> source);
  void check() const;
  friend TrainingResult train(const Recipe& recipe, const struct TrainingOptions& options);
  std::unique_ptr<nn::RecipeSource> source_;
};

struct TrainingOptions {
  int verbose = 1;
  Callbacks callbacks = {};  // in addition to the recipe's own
  std::string report = {};   // FILE.html: a report page, with its record as FILE.json
  ProfileSteps profile = {};
};

// Checks everything, then reads the data, trains, saves after every epoch, and evaluates on the
// test data. After interrupt() the result covers the epochs so far. A NaN loss ends the training;
// files keep the last finite weights.
TrainingResult train(const Recipe& recipe, const TrainingOptions& options = {});

// Trains the recipe's model for about so many seconds and discards it: no file is written.
Account try_training(const Recipe& recipe, double seconds = 1);

// The speed of the recipe's training at present, and with batches that are already on the device.
struct RecipeHeadroom {
  Account now;
  Headroom headroom;
  std::string to_string() const;
};
RecipeHeadroom measure_headroom(const Recipe& recipe, const HeadroomArgs& args = {});

// A tried change of the recipe.
struct TriedChange {
  RecipeChange change;
  double before = 0, after = 0;  // samples per second
  bool kept = false;
  std::string error = {};         // why it could not be tried
  std::string to_string() const;  // in one line
};
// Tries larger batches and, on a GPU, mixed precision: runs a few steps before and after each
// change, and keeps it only if it is faster. `changes` are the recipe's existing changes; those to
// keep are appended. What is automatic anyway (prefetch, threads, steps per launch) is not tried.
std::vector<TriedChange> apply_advice(const std::string& path, std::vector<RecipeChange>& changes);

}  // namespace stoker
