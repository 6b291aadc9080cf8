#pragma once
#include "io/zip.h"
#include "stoker/layer.h"

// What layers keep in a model file beside weights: vocabularies, as "assets/…/vocabulary.txt".
namespace stoker::nn {

void store_assets(Layer& network, ZipWriter& zip);
void restore_assets(Layer& network, const ZipReader& zip);

}  // namespace stoker::nn
