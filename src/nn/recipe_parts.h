#pragma once
#include "nn/recipe_source.h"
#include "stoker/model.h"

// The tables of a recipe, one file each.
namespace stoker::nn {

std::unique_ptr<Model> read_model(const RecipeSource& source);
CompileArgs read_compile(const RecipeSource& source);
FitArgs read_fit(const RecipeSource& source);

void check_data(const RecipeSource& source);  // all that can be checked without reading arrays
bool has_data(const RecipeSource& source, const std::string& part);
ValidationData read_data(const RecipeSource& source, const std::string& part);

}  // namespace stoker::nn
