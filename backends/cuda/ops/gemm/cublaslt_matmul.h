#pragma once
#include <memory>

#include "libraries/libraries.h"
#include "ops/gemm/gemm.h"

namespace stoker::cuda {

// A row-major GEMM as cuBLASLt's column-major one with swapped operands, with a chosen algorithm.
// `part` is the type of the result; the library's epilogue applies bias and relu if `epilogue` is
// set.
class CublasltGemm {
 public:
  CublasltGemm(const Gemm& product, DType part, bool epilogue);  // throws CudaError

  uint64_t workspace() const { return algorithm_.workspaceSize; }
  void encode(const Gpu& gpu, const GemmArguments& arguments, void* out, void* workspace) const;

 private:
  template <class T>
  using Handle = std::unique_ptr<T, cublasStatus_t (*)(T*)>;

  using Algorithm = cublasLtMatmulHeuristicResult_t;

  void choose(const Gpu& gpu, const Gemm& product, DType part, const std::string& key);
  Algorithm fastest(const Gpu& gpu, const Gemm& product, DType part);
  bool take_over(const Algorithm& algorithm, const Gpu& gpu);
  bool take_over_cached(const std::string& bytes, const Gpu& gpu, const Gemm& product, DType part);
  template <class F>
  void try_out(const Gpu& gpu, const Gemm& product, DType part, F body);
  std::vector<Algorithm> candidates(const Gpu& gpu) const;
  void set(cublasLtMatmulDescAttributes_t attribute, const void* value, size_t bytes) const;

  bool epilogue_, bias_, double_;
  Handle<cublasLtMatmulDescOpaque_t> operation_;
  Handle<cublasLtMatrixLayoutOpaque_t> left_, right_, result_;
  uint32_t alignments_[3];  // of left, right and result, in bytes
  Algorithm algorithm_{};
};

// The implementation "cublaslt" of every op that is a matrix product.
std::unique_ptr<Kernel> plan_cublaslt_gemm(const NodeView& node, std::string& refusal);

}  // namespace stoker::cuda
