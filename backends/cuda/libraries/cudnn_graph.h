#pragma once
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libraries/libraries.h"
#include "stoker/dtype.h"

// cuDNN graphs with one convolution: described, planned by its heuristics, and cached.
namespace stoker::cuda {

// Owns one of cuDNN's descriptors.
class CudnnDescriptor {
 public:
  explicit CudnnDescriptor(cudnnBackendDescriptorType_t type);
  CudnnDescriptor(CudnnDescriptor&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)) {}
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~CudnnDescriptor();

  cudnnBackendDescriptor_t get() const { return handle_; }
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
           const void* values);
  template <class T>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T& value) {
    set(name, type, 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, int64_t value) { set(name, CUDNN_TYPE_INT64, value); }
  void set(cudnnBackendAttributeName_t name, const std::vector<int64_t>& values) {
    set(name, CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()), values.data());
  }
  void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& other) {
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, other.handle_);
  }
  void finalize(const char* doing);
  bool try_to_finalize();

 private:
  cudnnBackendDescriptor_t handle_ = nullptr;
};

enum class CudnnConvolution { forward, input_grad, kernel_grad };

// A tensor in cuDNN's order of axes (batch, channels, height, width; for a kernel: filters,
// channels, height, width), stored channels-last.
struct CudnnConvolutionSpec {
  CudnnConvolution kind;
  DType dtype;
  std::array<int64_t, 4> x, kernel, y;
  std::vector<int64_t> strides, dilation, before, after;  // height, width
};

// A convolution that is ready to run.
class CudnnPlan {
 public:
  // Throws CudaError if no engine of cuDNN supports it under the backend's settings. `key`: the
  // spec as text, the key of the choice on disk.
  CudnnPlan(const Gpu& gpu, const CudnnConvolutionSpec& spec, const std::string& key);
  uint64_t workspace() const { return workspace_; }
  void run(const Gpu& gpu, void* x, void* kernel, void* y, void* workspace) const;

 private:
  std::deque<CudnnDescriptor> parts_;  // descriptors must outlive the plan
  CudnnDescriptor plan_;
  uint64_t workspace_;
};

// Equal convolutions share a plan: networks repeat them, and planning is slow.
std::shared_ptr<const CudnnPlan> cudnn_plan(const Gpu& gpu, const CudnnConvolutionSpec& spec);

}  // namespace stoker::cuda
