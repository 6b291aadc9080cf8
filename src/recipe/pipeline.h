#pragma once
#include <optional>

#include "stoker/config.h"
#include "stoker/dataset.h"
#include "stoker/image_transform.h"

namespace stoker::nn {

// The stages of [data.pipeline], a key each: those of images make a Transform, the others are
// applied behind it, both in their order. `training`: random stages of images and the shuffle
// count.
struct RecipePipeline {
  std::optional<image::Transform> transform;
  Config::Map stages;
};
RecipePipeline read_pipeline(const Config& table, int channels, bool training);
Dataset apply_stages(Dataset samples, const Config::Map& stages);

}  // namespace stoker::nn
