#include <fmt/format.h>
#include <fmt/ranges.h>

#include "recipe/parts.h"

namespace stoker::nn {
namespace {

// The arrays named at a path of a recipe: one, or a list.
Config::List arrays_at(const RecipeSource& source, const std::string& path) {
  const Config* config = source.find(path);
  if (!config) return {};
  return config->is_list() ? config->as_list() : Config::List{*config};
}

void expect_count(const RecipeSource& source, const Model& model, const std::string& path,
                  const char* what, const std::vector<std::string>& names) {
  const size_t given = arrays_at(source, path).size();
  if (names.empty() || given == names.size()) return;
  source.fail(path,
              fmt::format("model \"{}\" has {} {}{}, but \"{}\" names {} file{}.", model.name(),
                          names.size(), what, names.size() == 1 ? "" : "s", path, given,
                          given == 1 ? "" : "s"),
              fmt::format("one file for each, in this order: {}.", fmt::join(names, ", ")));
}

bool fits(const Shape& wanted, const Shape& given) {
  if (given.rank() != wanted.rank()) return false;
  for (int d = 1; d < given.rank(); ++d)
    if (wanted[d] != unknown && wanted[d] != given[d]) return false;
  return true;
}

}  // namespace

void check_counts(const RecipeSource& source, const Model& model, const std::string& part) {
  if (source.find("data.dataset") || names_source(source, part)) return;
  expect_count(source, model, fmt::format("data.{}.x", part), "input", model.input_names());
  expect_count(source, model, fmt::format("data.{}.y", part), "output", model.output_names());
}

void check_samples(const RecipeSource& source, const Model& model, const std::string& part,
                   const Arrays& x) {
  const std::string path = fmt::format("data.{}.x", part);
  const auto files = arrays_at(source, path);
  const auto inputs = model.inputs();
  for (size_t i = 0; i < x.size() && i < inputs.size() && i < files.size(); ++i) {
    const Shape &wanted = inputs[i].shape(), &given = x[i].shape();
    // Keras accepts (batch,) for (batch, 1).
    const bool column = wanted.rank() == given.rank() + 1 && wanted.back() == 1;
    if (column || fits(wanted, given)) continue;
    const Config* file = files[i].is_map() ? files[i].find("file") : &files[i];
    source.fail(path,
                fmt::format("{} holds {}, but input \"{}\" of model \"{}\" takes {}.",
                            file ? file->to_string() : path, to_string(given),
                            model.input_names()[i], model.name(), to_string(wanted)),
                "None stands for any number.");
  }
}

}  // namespace stoker::nn
