#pragma once
#include "io/blob.h"
#include "stoker/io.h"

namespace stoker {

SafeTensors parse_safetensors(const Blob& file);

}  // namespace stoker
