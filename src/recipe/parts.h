#pragma once
#include "ledger/run_facts.h"
#include "recipe/source.h"
#include "stoker/model.h"

// The tables of a recipe, one file each.
namespace stoker::nn {

std::unique_ptr<Model> read_model(const RecipeSource& source);
// The model of model.file, compiled as saved; [compile] overrides the settings.
std::unique_ptr<Model> read_model_file(const RecipeSource& source);
CompileArgs read_compile(const RecipeSource& source);
void set_learning_rate(const RecipeSource& source, Model& model);  // compile.learning_rate, if any
FitArgs read_fit(const RecipeSource& source);
// The callback for [checkpoint]; null: none.
CallbackRef read_checkpoint(const RecipeSource& source);
void remove_checkpoint(const RecipeSource& source);  // when it is no longer needed

// Adapts layers such as Normalization that have not been adapted yet, each to its input in the
// model; without the validation split at the end of the samples.
void adapt_layers(const Model& model, const ValidationData& data, double validation_split);

// everything that can be checked without reading arrays
void check_data(const RecipeSource& source);
bool has_data(const RecipeSource& source, const std::string& part);
ValidationData read_data(const RecipeSource& source, const std::string& part);
// A part may also be the path of data of any kind, which is opened as a dataset of batches. The
// model determines the form of labels and inputs.
bool names_source(const RecipeSource& source, const std::string& part);
void check_pipeline(const RecipeSource& source);
Dataset open_source(const RecipeSource& source, const std::string& part, const FitArgs& fit,
                    const Model* model);
// Check that a part has an array for each input and output of the model, before any is read; and
// that the samples have the model's shapes.
void check_counts(const RecipeSource& source, const Model& model, const std::string& part);
void check_samples(const RecipeSource& source, const Model& model, const std::string& part,
                   const Arrays& x);
// The samples that fit uses for a part: a validation split is taken from the end of the training
// data, unless there is validation data.
ValidationData read_used_data(const RecipeSource& source, const std::string& part, double split);

// The keys of a recipe that an account may advise to change.
ledger::Places places_in_recipe();

}  // namespace stoker::nn
