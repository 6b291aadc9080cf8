#pragma once
#include "io/archives/zip.h"
#include "stoker/layer.h"

// What layers store in a model file besides weights: vocabularies, as "assets/…/vocabulary.txt".
namespace stoker::nn {

void store_assets(Layer& network, ZipWriter& zip);
void restore_assets(Layer& network, const ZipReader& zip);
// Other file formats cannot store assets: warns on stderr which layers lose theirs.
void warn_of_assets(Layer& network, const std::string& path);

}  // namespace stoker::nn
