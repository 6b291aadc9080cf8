#pragma once
#include "nn/model_impl.h"

namespace stoker::nn {

// All states of a model that is being fitted, and where it stands, in one file that is complete or
// not there.
void save_backup(Model& model, const FitPosition& at, const std::string& path);
// Puts the states back. Throws IoError or InvalidArgument if the file is not of this model.
FitPosition load_backup(Model& model, const std::string& path);

}  // namespace stoker::nn
