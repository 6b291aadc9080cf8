#pragma once
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "compiler.h"
#include "device/implementations.h"

namespace stoker::cuda {

struct LaunchShape {
  unsigned int blocks = 1, threads = 256;
  unsigned int blocks_y = 1, blocks_z = 1;
  unsigned int shared_bytes = 0;  // dynamic
  unsigned int cluster = 1;       // blocks per cluster, along x
};

// Enqueues kernels on a GPU's stream, which may be capturing a graph.
class Encoder {
 public:
  explicit Encoder(const Gpu& gpu) : gpu_(gpu) {}
  const Gpu& gpu() const { return gpu_; }
  CUstream stream() const { return gpu_.stream; }

  // Arguments are passed with exactly the types given here: pointers, int, int64_t, float, structs.
  template <class... Args>
  void launch(Function& function, const LaunchShape& shape, Args... args) {
    std::array<void*, sizeof...(Args)> pointers{static_cast<void*>(&args)...};
    launch_with(function, shape, pointers.data());
  }
  void launch_with(Function& function, const LaunchShape& shape, void** arguments);
  void copy(void* to, const void* from, uint64_t bytes);  // on the device
  void fill(void* to, unsigned char byte, uint64_t bytes);

 private:
  const Gpu& gpu_;
};

// A planned kernel. arguments: the inputs, then the outputs.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void encode(Encoder& encoder, void* const* arguments, void* workspace) = 0;
  // Kernels that run many steps in one launch: argument i advances by strides[i] bytes per step.
  // All others are encoded once per step.
  virtual bool runs_many_steps() const { return false; }
  virtual void encode_steps(Encoder&, void* const* /*arguments*/, const int64_t* /*strides*/,
                            int64_t /*steps*/, void* /*workspace*/) {}

  std::vector<std::shared_ptr<Function>> functions;  // compiled before the first encode
  uint64_t workspace = 0;
  const char* implementation = "";
  // Kernels with the same handle never run concurrently: a library's handle may own memory.
  const void* handle = nullptr;
  std::string sums;  // what it adds over the ranks of a training; "": nothing
};

// A kernel from a lambda (Encoder&, void* const* arguments, void* workspace).
template <class F>
std::unique_ptr<Kernel> make_kernel(std::vector<std::shared_ptr<Function>> functions, F body,
                                    uint64_t workspace = 0) {
  struct Lambda : Kernel {
    explicit Lambda(F f) : body(std::move(f)) {}
    void encode(Encoder& encoder, void* const* arguments, void* scratch) override {
      body(encoder, arguments, scratch);
    }
    F body;
  };
  auto kernel = std::make_unique<Lambda>(std::move(body));
  kernel->functions = std::move(functions);
  kernel->workspace = workspace;
  return kernel;
}

using Planner = Implementations<Kernel>::Planner;

// `const RegisterKernel matmul{"matmul", "cublaslt", optimised, plan};` in the kernel's own file.
struct RegisterKernel {
  RegisterKernel(const char* op, const char* implementation, Rank rank, Planner planner,
                 std::source_location place = std::source_location::current());
};

// The first implementation that accepts the node; throws Unsupported with every refusal.
// STOKER_CUDA_IMPLEMENTATION=reference restricts it to an op's reference rank.
std::unique_ptr<Kernel> plan(const NodeView& node);
std::vector<std::unique_ptr<Kernel>> plan_all(const NodeView& node);

// The name of a dtype in kernel code: "float", "float16", "int64_t", … (a bool is a byte).
const char* type_name(DType dtype);

// Blocks for one thread per item, or fewer with a grid-stride loop if that fills the GPU.
unsigned int blocks_for(int64_t items, int64_t threads = 256, int64_t most = 0);

}  // namespace stoker::cuda
