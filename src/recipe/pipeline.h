#pragma once
#include <optional>

#include "stoker/config.h"
#include "stoker/dataset.h"
#include "stoker/image_transform.h"

namespace stoker::nn {

// The stages of [data.pipeline], one key each: image stages form a Transform, the others are
// applied after it, both in order. `training`: enables random image stages and shuffling.
struct RecipePipeline {
  std::optional<image::Transform> transform;
  Config::Map stages;
};
RecipePipeline read_pipeline(const Config& table, int channels, bool training);
Dataset apply_stages(Dataset samples, const Config::Map& stages);

}  // namespace stoker::nn
