#pragma once
#include "ledger/run_facts.h"
#include "recipe/source.h"
#include "stoker/model.h"

// The tables of a recipe, one file each.
namespace stoker::nn {

std::unique_ptr<Model> read_model(const RecipeSource& source);
// Of model.file, compiled as it was saved; what [compile] has goes before that.
std::unique_ptr<Model> read_model_file(const RecipeSource& source);
CompileArgs read_compile(const RecipeSource& source);
void set_learning_rate(const RecipeSource& source, Model& model);  // compile.learning_rate, if any
FitArgs read_fit(const RecipeSource& source);
// The callback that [checkpoint] asks for; null: none.
CallbackRef read_checkpoint(const RecipeSource& source);
void remove_checkpoint(const RecipeSource& source);  // when it is not needed any more

// Lets layers such as Normalization that have yet to learn from data do so, each on what it gets in
// the model; without the last share of the samples, which is for validation.
void adapt_layers(const Model& model, const ValidationData& data, double validation_split);

void check_data(const RecipeSource& source);  // all that can be checked without reading arrays
bool has_data(const RecipeSource& source, const std::string& part);
ValidationData read_data(const RecipeSource& source, const std::string& part);
// A part may also be the path of data of any kind, which is opened as a dataset of batches. The
// model says what labels and inputs it wants.
bool names_source(const RecipeSource& source, const std::string& part);
void check_pipeline(const RecipeSource& source);
Dataset open_source(const RecipeSource& source, const std::string& part, const FitArgs& fit,
                    const Model* model);
// That a part has an array for each input and output of the model, before any is read; that the
// samples of those read are of the shapes the model takes.
void check_counts(const RecipeSource& source, const Model& model, const std::string& part);
void check_samples(const RecipeSource& source, const Model& model, const std::string& part,
                   const Arrays& x);
// The samples that fit uses for a part: a validation split is taken from the end of the training
// data, unless there are data for validation.
ValidationData read_used_data(const RecipeSource& source, const std::string& part, double split);

// Where a recipe says what an account may advise to change.
ledger::Places places_in_recipe();

}  // namespace stoker::nn
