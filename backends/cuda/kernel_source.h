#pragma once
#include <fmt/format.h>

#include <concepts>
#include <string>
#include <vector>

#include "stoker/dtype.h"

namespace stoker::cuda {

// A program for NVRTC: constants for types and shapes, then the file of kernels/ that uses them.
// `KernelSource("reduce/argmax.cuh").type("element_t", dtype).constant("lanes", 8)`
class KernelSource {
 public:
  explicit KernelSource(const char* file) : file_(file) {}

  KernelSource& type(const char* name, DType dtype);  // using name = float;
  KernelSource& type(const char* name, const char* cuda_type);
  // With the smallest type of bool, int, int64_t, float and double that can hold the value.
  template <class V>
  KernelSource& constant(const char* name, V value) {
    if constexpr (std::same_as<V, bool>)
      return code(fmt::format("constexpr bool {} = {};\n", name, value));
    else if constexpr (std::same_as<V, float>)
      return code(fmt::format("constexpr float {} = {:.9e}f;\n", name, value));
    else if constexpr (std::floating_point<V>)
      return code(fmt::format("constexpr double {} = {:.17g};\n", name, value));
    else
      return integer(name, static_cast<int64_t>(value));
  }
  // For the preprocessor, or for text that is not a value, such as PTX.
  template <class V>
  KernelSource& macro(const char* name, const V& value) {
    if constexpr (std::same_as<V, bool>)
      return code(fmt::format("#define {} {:d}\n", name, value));
    else
      return code(fmt::format("#define {} {}\n", name, value));
  }
  // Arrays with a trailing zero: they are never empty.
  KernelSource& list(const char* name, const std::vector<int64_t>& values);
  KernelSource& list(const char* name, const std::vector<int>& values);
  KernelSource& list(const char* name, const std::vector<uint64_t>& values);
  KernelSource& list(const char* name, const std::vector<float>& values);
  // `index_t name(index_t i)`: the memory offset of element i of a row-major space of these
  // dimensions. All divisions are by constants.
  KernelSource& offset(const char* name, const std::vector<int64_t>& dims,
                       const std::vector<int64_t>& strides);
  std::string text() const;  // complete, except for the included files
  operator std::string() const { return text(); }

 private:
  KernelSource& code(const std::string& line);
  KernelSource& integer(const char* name, int64_t value);

  std::string file_, constants_;
};

}  // namespace stoker::cuda
