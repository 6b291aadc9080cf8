#pragma once
#include "stoker/array.h"
#include "stoker/config.h"

namespace stoker::nn {

// Keras's {value, dtype} of a __tensor__ or __numpy__: nested lists of numbers.
Array array_from(const Config& config);
Config array_config(const Array& array);

Config shape_config(const Shape& shape);  // null where a dimension is unknown
Shape shape_from(const Config& config);

}  // namespace stoker::nn
