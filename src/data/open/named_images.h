#pragma once
#include "stoker/dataset.h"
#include "stoker/image_transform.h"

namespace stoker::data {

// Transforms images whose elements end with a name, a string, which is dropped: errors contain it.
// Without it an image is not found again among the records of many files.
Dataset map_named_images(const Dataset& samples, const image::Transform& transform);

}  // namespace stoker::data
