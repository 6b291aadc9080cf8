#include "kernel_source.h"

#include "kernel.h"
#include "ops/layout_text.h"

namespace stoker::cuda {
namespace {

template <class T>
std::string list_text(const char* type, const char* name, const char* form,
                      const std::vector<T>& values) {
  std::string text = fmt::format("__device__ constexpr {} {}[] = {{", type, name);
  for (const T value : values) text += fmt::format(fmt::runtime(form), value) + ", ";
  return text + "0};\n";
}

}  // namespace

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
  return code(list_text("int64_t", name, "{}", values));
}
KernelSource& KernelSource::list(const char* name, const std::vector<int>& values) {
  return code(list_text("int", name, "{}", values));
}
KernelSource& KernelSource::list(const char* name, const std::vector<uint64_t>& values) {
  return code(list_text("uint64_t", name, "{}ull", values));
}
KernelSource& KernelSource::list(const char* name, const std::vector<float>& values) {
  return code(list_text("float", name, "{:.9e}f", values));
}

KernelSource& KernelSource::offset(const char* name, const std::vector<int64_t>& dims,
                                   const std::vector<int64_t>& strides) {
  return code(fmt::format("__device__ __forceinline__ index_t {}(index_t i) {{ return {}; }}\n",
                          name, offset_text("i", dims, strides)));
}

KernelSource& KernelSource::code(const std::string& line) {
  constants_ += line;
  return *this;
}

std::string KernelSource::text() const {
  return fmt::format("#include \"prelude.cuh\"\n{}#include \"{}\"\n", constants_, file_);
}

}  // namespace stoker::cuda
