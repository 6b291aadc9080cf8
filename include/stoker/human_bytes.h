#pragma once
#include <cstdint>
#include <string>

namespace stoker {

std::string human_bytes(int64_t bytes);  // "1.21 KB", in units of 1024, as Keras's summary has them

}  // namespace stoker
