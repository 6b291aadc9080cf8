#include "stoker/recipe.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "recipe/parts.h"
#include "stoker/device.h"

namespace stoker {
namespace {

// Sets the global dtype policy while a model is created.
class GlobalPolicy {
 public:
  explicit GlobalPolicy(const DTypePolicy& policy) : before_(dtype_policy()) {
    set_dtype_policy(policy);
  }
  ~GlobalPolicy() { set_dtype_policy(before_); }
  GlobalPolicy(const GlobalPolicy&) = delete;
  GlobalPolicy& operator=(const GlobalPolicy&) = delete;

 private:
  DTypePolicy before_;
};

}  // namespace

Recipe::Recipe(std::unique_ptr<nn::RecipeSource> source) : source_(std::move(source)) { check(); }
Recipe::Recipe(const std::string& path, const std::vector<std::string>& overrides)
    : Recipe([&] {
        std::vector<RecipeChange> changes;
        for (const auto& assignment : overrides) changes.push_back(parse_change(assignment));
        return std::make_unique<nn::RecipeSource>(path, changes);
      }()) {}
Recipe Recipe::with_changes(const std::string& path, const std::vector<RecipeChange>& changes) {
  return Recipe(std::make_unique<nn::RecipeSource>(path, changes));
}
Recipe::~Recipe() = default;
Recipe::Recipe(Recipe&&) noexcept = default;

// Other tables are checked where they are used: all of them before data is read.
void Recipe::check() const {
  source_->check_keys("", {"seed", "device", "dtype_policy", "model", "data", "compile", "fit",
                           "checkpoint", "output", "distribution"});
  source_->get("model");
  source_->check_keys("distribution", {"processes"});
  if (const Config* processes = source_->find("distribution.processes"))
    if (!processes->is_int() || processes->as_int() < 1)
      source_->fail(
          "distribution.processes",
          fmt::format("\"distribution.processes\" is {}, which is not a number of processes.",
                      processes->to_string()),
          "give a whole number from 1 on.");
  source_->check_keys("output", {"folder", "monitor", "save", "history"});
  output_folder();
  device();
  monitor();
  dtype_policy();
  nn::check_data(*source_);
}

const Config& Recipe::config() const { return source_->root(); }
std::string Recipe::to_toml() const { return nn::to_toml(config()); }
const std::string& Recipe::path() const { return source_->file(); }

std::unique_ptr<Model> Recipe::make_model() const {
  if (const Config* seed = source_->find("seed"))
    set_random_seed(source_->at("seed", [&] { return static_cast<uint64_t>(seed->as_int()); }));
  std::optional<Device> scope;  // the model is then placed there
  if (!device().empty()) source_->at("device", [&] { scope.emplace(device()); });
  const GlobalPolicy policy(dtype_policy());
  if (!model_file().empty()) return nn::read_model_file(*source_);
  auto model = nn::read_model(*source_);
  if (source_->find("compile")) {
    const CompileArgs args = nn::read_compile(*source_);
    source_->at("compile", [&] { model->compile(args); });
    nn::set_learning_rate(*source_, *model);
  }
  return model;
}

FitArgs Recipe::make_fit_args() const { return nn::read_fit(*source_); }

bool Recipe::has_data(const std::string& part) const { return nn::has_data(*source_, part); }
ValidationData Recipe::load_data(const std::string& part, const Model* model) const {
  if (nn::names_source(*source_, part))
    return nn::open_source(*source_, part, make_fit_args(), model);
  return nn::read_data(*source_, part);
}
ValidationData Recipe::used_data(const std::string& part, const Model* model) const {
  if (nn::names_source(*source_, part)) return load_data(part, model);
  return nn::read_used_data(*source_, part, make_fit_args().validation_split);
}

std::string Recipe::device() const { return source_->string_at("device", ""); }
DTypePolicy Recipe::dtype_policy() const {
  const Config* name = source_->find("dtype_policy");
  if (!name) return stoker::dtype_policy();
  return source_->at("dtype_policy", [&] { return DTypePolicy(name->as_string()); });
}

std::string Recipe::model_file() const { return source_->string_at("model.file", ""); }
std::string Recipe::output_folder() const {
  const std::string stem = std::filesystem::path(path()).stem().string();
  return source_->string_at("output.folder", source_->is_model_file() ? "" : "runs/" + stem);
}
std::string Recipe::save_file() const { return source_->string_at("output.save", ""); }
std::string Recipe::history_file() const { return source_->string_at("output.history", ""); }

std::string Recipe::monitor() const {
  const Config* split = source_->find("fit.validation_split");
  const bool validates =
      has_data("validation") || (split && split->is_number() && split->as_double() > 0);
  return source_->string_at("output.monitor", validates ? "val_loss" : "loss");
}

}  // namespace stoker
