#pragma once
#include <cublasLt.h>
#include <cudnn.h>

#include "context.h"

// NVIDIA's kernel libraries. They are large, so each is opened on first use.
namespace stoker::cuda {

// clang-format off
#define STOKER_CUBLASLT_FUNCTIONS(F) \
  F(cublasLtCreate) F(cublasLtGetVersion) F(cublasLtGetStatusString) \
  F(cublasLtMatmulDescCreate) F(cublasLtMatmulDescDestroy) F(cublasLtMatmulDescSetAttribute) \
  F(cublasLtMatrixLayoutCreate) F(cublasLtMatrixLayoutDestroy) F(cublasLtMatrixLayoutSetAttribute) \
  F(cublasLtMatmulPreferenceCreate) F(cublasLtMatmulPreferenceDestroy) F(cublasLtMatmulPreferenceSetAttribute) \
  F(cublasLtMatmulAlgoGetHeuristic) F(cublasLtMatmulAlgoCheck) F(cublasLtMatmul)

#define STOKER_CUDNN_FUNCTIONS(F) \
  F(cudnnCreate) F(cudnnSetStream) F(cudnnGetVersion) F(cudnnGetErrorString) F(cudnnGetLastErrorString) \
  F(cudnnBackendCreateDescriptor) F(cudnnBackendDestroyDescriptor) F(cudnnBackendSetAttribute) \
  F(cudnnBackendGetAttribute) F(cudnnBackendFinalize) F(cudnnBackendExecute)
// clang-format on

struct CublasLt {
  STOKER_CUBLASLT_FUNCTIONS(STOKER_MEMBER)
  std::string file;
};
struct Cudnn {
  STOKER_CUDNN_FUNCTIONS(STOKER_MEMBER)
  std::string file;
};
const CublasLt& cublaslt();  // throws CudaError with the reason, on every call
const Cudnn& cudnn();

cublasLtHandle_t cublaslt_handle(const Gpu& gpu);
cudnnHandle_t cudnn_handle(const Gpu& gpu);  // bound to the GPU's stream

// A cuDNN handle for one planning thread; threads must not share one.
class CudnnPlanningHandle {
 public:
  explicit CudnnPlanningHandle(const Gpu& gpu);
  ~CudnnPlanningHandle();
  CudnnPlanningHandle(const CudnnPlanningHandle&) = delete;
  CudnnPlanningHandle& operator=(const CudnnPlanningHandle&) = delete;
  cudnnHandle_t get() const { return handle_; }

 private:
  const int32_t gpu_;
  cudnnHandle_t handle_;
};

void check(cublasStatus_t status, const char* doing);
void check(cudnnStatus_t status, const char* doing);

// Each library's version, or why it is missing: "cuBLASLt 13.0.2 (libcublasLt.so.13); …".
const char* library_report();

}  // namespace stoker::cuda
