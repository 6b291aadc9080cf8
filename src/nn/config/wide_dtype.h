#pragma once
#include <string>
#include <string_view>

namespace stoker::nn {

// The dtype in which Stoker stores integers of this Keras dtype: all values of int16, uint16 and
// uint32 fit, and those of uint64 below 2^63. Other names are returned unchanged.
inline std::string wide_dtype(std::string_view name) {
  if (name == "int16" || name == "uint16") return "int32";
  if (name == "uint32" || name == "uint64") return "int64";
  return std::string(name);
}

}  // namespace stoker::nn
