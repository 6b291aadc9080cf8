#pragma once
#include <map>
#include <string>
#include <vector>

#include "stoker/config.h"
#include "stoker/error.h"
#include "stoker/recipe.h"

namespace stoker::nn {

// A recipe's tree with the place of every key, for errors. Paths are dotted:
// "model.layers.2.units".
class RecipeSource {
 public:
  // A TOML file, or a model file, which is equivalent to {model: {file: …}}.
  RecipeSource(const std::string& file, const std::vector<RecipeChange>& changes);

  const std::string& file() const { return file_; }
  bool is_model_file() const;
  const Config& root() const { return root_; }
  const Config* find(const std::string& path) const;  // nullptr if absent
  const Config& get(const std::string& path) const;   // throws if absent
  std::string string_at(const std::string& path, const std::string& otherwise) const;

  void check_keys(const std::string& path, const std::vector<std::string>& known) const;
  [[noreturn]] void fail(const std::string& path, const std::string& message,
                         const std::string& hint = {}) const;

  // Runs read() and adds the place to an error without one: that of the key it mentions, or else of
  // the whole table.
  template <class F>
  auto at(const std::string& path, F read) const {
    try {
      return read();
    } catch (Error& error) {
      add_place(path, error);
      throw;
    }
  }

 private:
  void change(const RecipeChange& change);
  std::string place(std::string path) const;
  void add_place(const std::string& path, Error& error) const;

  std::string file_;
  Config root_;
  std::map<std::string, std::string> places_;  // path → "recipe.toml:12"
};

// Converts a recipe's flat {class_name, argument, …} to Keras's {class_name, config}, at every
// depth.
Config nest_objects(const Config& config);

std::string to_toml(const Config& config);

}  // namespace stoker::nn
