#pragma once
#include "io/archives/zip.h"
#include "stoker/layer.h"

// What layers keep in a model file beside weights: vocabularies, as "assets/…/vocabulary.txt".
namespace stoker::nn {

void store_assets(Layer& network, ZipWriter& zip);
void restore_assets(Layer& network, const ZipReader& zip);
// A file of another kind has no place for them: says on stderr which layers lose theirs.
void warn_of_assets(Layer& network, const std::string& path);

}  // namespace stoker::nn
