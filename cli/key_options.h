#pragma once
#include <deque>
#include <string>
#include <vector>

#include "stoker/recipe.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stoker::cli {

// Command-line options that set keys of a recipe: --epochs 3 is --set fit.epochs=3.
class KeyOptions {
 public:
  enum class Kind {
    value,   // a number, true, false, or a name
    text,    // a string
    texts,   // one string, or a list if repeated
    object,  // a name, or an object as JSON or TOML; a list if repeated
    list,    // the same, but always a list
    table    // JSON, or the name of a JSON file
  };
  CLI::Option* add(CLI::App& command, const std::string& name, const std::string& key, Kind kind,
                   const std::string& description);
  void add_flag(CLI::App& command, const std::string& name, const std::string& key,
                const std::string& description);
  std::vector<RecipeChange> changes() const;  // those that were given

 private:
  struct Entry {
    std::string name, key;
    Kind kind;
    std::vector<std::string> given;
  };
  static Config value_of(const Entry& entry);
  std::deque<Entry> entries_;  // stable addresses
};

}  // namespace stoker::cli
