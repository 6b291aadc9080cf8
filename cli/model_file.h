#pragma once
#include <optional>
#include <string>
#include <vector>

#include "stoker/model.h"

namespace CLI {
class App;
}

namespace stoker::cli {

// Commands accept a recipe or a model file in the same place: the extension decides.
bool is_model_file(const std::string& path);
// Options added while it lives belong to one of the two kinds.
inline constexpr const char* recipe_options = "Recipes";
inline constexpr const char* model_options = "Model files";
class OptionsOf {
 public:
  OptionsOf(CLI::App& command, const char* kind);
  ~OptionsOf();
  OptionsOf(const OptionsOf&) = delete;
  OptionsOf& operator=(const OptionsOf&) = delete;

 private:
  CLI::App& command_;
  const char* kind_;
  size_t before_;
};
// Throws for a given option that does not belong to this kind of path.
void check_options(const CLI::App& command, const std::string& path);

// Data options of commands on model files.
struct DataOptions {
  std::vector<std::string> x, y, sample_weight;
  int64_t batch_size = 32;
  void add_x_to(CLI::App& command);
  void add_batch_size_to(CLI::App& command);
  void add_y_to(CLI::App& command);
};

// Settings that override those in the file.
struct CompileOptions {
  std::vector<std::string> loss, metrics;
  std::string optimizer;
  std::optional<double> learning_rate;
  void add_to(CLI::App& command);
  Config overrides() const;
};

// Checks the whole file; what is missing for training is reported before data is read.
Model open_model(const std::string& path, const std::string& device,
                 const CompileOptions& compile = {});
void require_compiled(const Model& model, const std::string& path);
void check_counts(const Model& model, const std::vector<std::string>& x);
void check_counts(const Model& model, const std::vector<std::string>& x,
                  const std::vector<std::string>& y, const std::string& prefix = "--");
Arrays load_arrays(const std::vector<std::string>& paths);
// Checks that the samples have the model's input shapes.
void check_samples(const Model& model, const Arrays& x, const std::vector<std::string>& paths);

}  // namespace stoker::cli
