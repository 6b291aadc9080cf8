#include "arguments.h"

#include <random>

namespace stoker::bench {
namespace {

using cuda::check;
using cuda::driver;

Array random_array(const CaseTensor& tensor, unsigned seed) {
  Array values(DType::float32, tensor.type.shape);
  std::minstd_rand random(seed);
  const bool whole = !is_floating(tensor.type.dtype);
  for (float& value : values.mutable_data<float>()) {
    const double unit = static_cast<double>(random()) / std::minstd_rand::max();
    const double in_range = tensor.low + (tensor.high - tensor.low) * unit;
    value =
        static_cast<float>(whole ? static_cast<double>(static_cast<int64_t>(in_range)) : in_range);
  }
  return values.astype(tensor.type.dtype);
}

}  // namespace

DeviceMemory::DeviceMemory(uint64_t bytes) {
  check(driver().cuMemAlloc(&memory_, bytes + 256), "allocating memory for a benchmark");
}
DeviceMemory::~DeviceMemory() { driver().cuMemFree(memory_); }

Arguments::Arguments(const cuda::Gpu& gpu, const Case& the_case, int copies)
    : gpu_(gpu), case_(the_case), sets_(static_cast<size_t>(copies)) {
  const auto take = [&](const CaseTensor& tensor) {
    return memory_.emplace_back(new DeviceMemory(static_cast<uint64_t>(tensor.type.bytes())))
        ->get();
  };
  unsigned seed = 1;
  for (const CaseTensor& tensor : case_.in) {
    const Array values = random_array(tensor, ++seed);
    for (auto& set : sets_) {
      set.push_back(take(tensor));
      if (values.bytes() > 0)
        check(driver().cuMemcpyHtoDAsync(reinterpret_cast<CUdeviceptr>(set.back()), values.raw(),
                                         values.bytes(), gpu.stream),
              "copying to the GPU");
    }
    check(driver().cuStreamSynchronize(gpu.stream), "waiting for the GPU");
  }
  for (const CaseTensor& tensor : case_.out)
    for (auto& set : sets_) set.push_back(take(tensor));
}

void Arguments::spoil_outputs() {
  for (size_t i = 0; i < case_.out.size(); ++i)
    cuda::Encoder(gpu_).fill(sets_[0][case_.in.size() + i], 0xff,
                             static_cast<uint64_t>(case_.out[i].type.bytes()));
}

std::vector<Array> Arguments::outputs() const {
  std::vector<Array> arrays;
  for (size_t i = 0; i < case_.out.size(); ++i) {
    Array& array = arrays.emplace_back(case_.out[i].type.dtype, case_.out[i].type.shape);
    if (array.bytes() > 0)
      check(driver().cuMemcpyDtoHAsync(array.mutable_raw(),
                                       reinterpret_cast<CUdeviceptr>(sets_[0][case_.in.size() + i]),
                                       array.bytes(), gpu_.stream),
            "copying from the GPU");
  }
  check(driver().cuStreamSynchronize(gpu_.stream), "waiting for the GPU");
  return arrays;
}

}  // namespace stoker::bench
