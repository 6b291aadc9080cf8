#include "kernel_source.h"

#include "kernel.h"
#include "ops/layout_text.h"

namespace stoker::cuda {

KernelSource& KernelSource::type(const char* name, DType dtype) {
  return type(name, type_name(dtype));
}
KernelSource& KernelSource::type(const char* name, const char* cuda_type) {
  return code(fmt::format("using {} = {};\n", name, cuda_type));
}

KernelSource& KernelSource::integer(const char* name, int64_t value) {
  const bool is_int = value >= INT32_MIN && value <= INT32_MAX;
  return code(fmt::format("constexpr {} {} = {};\n", is_int ? "int" : "int64_t", name, value));
}

KernelSource& KernelSource::list(const char* name, const std::vector<int64_t>& values) {
  code(fmt::format("__device__ constexpr int64_t {}[] = {{", name));
  for (const int64_t value : values) code(fmt::format("{}, ", value));
  return code("0};\n");
}

KernelSource& KernelSource::offset(const char* name, const std::vector<int64_t>& dims,
                                   const std::vector<int64_t>& strides) {
  return code(fmt::format("__device__ __forceinline__ index_t {}(index_t i) {{ return {}; }}\n",
                          name, offset_text("i", dims, strides)));
}

KernelSource& KernelSource::code(const std::string& generated) {
  constants_ += generated;
  return *this;
}

std::string KernelSource::text() const {
  return fmt::format("#include \"prelude.cuh\"\n{}#include \"{}\"\n", constants_, file_);
}

}  // namespace stoker::cuda
