#include "ops/gemm/cublaslt_matmul.h"

#include <cstring>

#include "disk_cache.h"
#include "memo.h"
#include "ops/timing.h"

namespace stoker::cuda {
namespace {

constexpr uint64_t most_workspace = 32 << 20;
constexpr int most_candidates = 16;
constexpr double worth_timing = 1e8;  // FLOPs: below, every candidate takes a few microseconds

cudaDataType_t data_type(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return CUDA_R_64F;
    case DType::float16:
      return CUDA_R_16F;
    case DType::bfloat16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

cublasComputeType_t compute_type(DType in) {
  if (in == DType::float64) return CUBLAS_COMPUTE_64F;
  return in == DType::float32 && settings().tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                 : CUBLAS_COMPUTE_32F;
}

// The alignment of a matrix that begins at any row, from a row's size.
uint32_t alignment_of(int64_t row_length, DType dtype) {
  const int64_t bytes = row_length * static_cast<int64_t>(size_of(dtype));
  return static_cast<uint32_t>(std::min<int64_t>(256, bytes & -bytes));
}

cublasLtEpilogue_t epilogue_of(const Gemm& p) {
  if (p.bias) return p.relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
  return p.relu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT;
}

template <class T, class Create, class... Args>
T* created(Create create, const char* doing, Args... args) {
  T* made = nullptr;
  check(create(&made, args...), doing);
  return made;
}

// `step`: elements between consecutive matrices of a batch.
void set_batch(cublasLtMatrixLayout_t layout, int64_t count, int64_t step) {
  const auto number = static_cast<int32_t>(count);
  check(cublaslt().cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                    &number, sizeof number),
        "describing a batch");
  check(cublaslt().cublasLtMatrixLayoutSetAttribute(
            layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step),
        "describing a batch");
}

}  // namespace

CublasltGemm::CublasltGemm(const Gemm& p, DType part, bool epilogue)
    : epilogue_(epilogue),
      bias_(epilogue && p.bias),
      double_(p.in == DType::float64),
      operation_(created<cublasLtMatmulDescOpaque_t>(cublaslt().cublasLtMatmulDescCreate,
                                                     "describing a product", compute_type(p.in),
                                                     double_ ? CUDA_R_64F : CUDA_R_32F),
                 cublaslt().cublasLtMatmulDescDestroy),
      left_(nullptr, cublaslt().cublasLtMatrixLayoutDestroy),
      right_(nullptr, cublaslt().cublasLtMatrixLayoutDestroy),
      result_(nullptr, cublaslt().cublasLtMatrixLayoutDestroy),
      alignments_{alignment_of(p.ldb(), p.in), alignment_of(p.lda(), p.in),
                  alignment_of(p.n, part)} {
  const auto layout = [&](DType dtype, int64_t rows, int64_t columns) {
    auto* made = created<cublasLtMatrixLayoutOpaque_t>(
        cublaslt().cublasLtMatrixLayoutCreate, "describing a matrix", data_type(dtype),
        static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), rows);
    if (p.batch != 1) set_batch(made, p.batch, rows * columns);
    return made;
  };
  // A row-major matrix is the transpose of a column-major one: computes n x m from b and a.
  left_.reset(layout(p.in, p.ldb(), p.trans_b ? p.n : p.k));
  right_.reset(layout(p.in, p.lda(), p.trans_a ? p.k : p.m));
  result_.reset(layout(part, p.n, p.m));
  const cublasOperation_t left = p.trans_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                          right = p.trans_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  set(CUBLASLT_MATMUL_DESC_TRANSA, &left, sizeof left);
  set(CUBLASLT_MATMUL_DESC_TRANSB, &right, sizeof right);
  const cublasLtEpilogue_t after = epilogue ? epilogue_of(p) : CUBLASLT_EPILOGUE_DEFAULT;
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, &after, sizeof after);
  const std::string key =
      fmt::format("{} {} {} {} {:d}{:d} {} {} {} {:d}{:d}", p.batch, p.m, p.n, p.k, p.trans_a,
                  p.trans_b, name_of(p.in), name_of(part), static_cast<int>(after),
                  settings().tf32.load(), settings().deterministic.load());
  choose(current_gpu(), p, part, key);
}

void CublasltGemm::set(cublasLtMatmulDescAttributes_t attribute, const void* value,
                       size_t bytes) const {
  check(cublaslt().cublasLtMatmulDescSetAttribute(operation_.get(), attribute, value, bytes),
        "describing a product");
}

std::vector<CublasltGemm::Algorithm> CublasltGemm::candidates(const Gpu& gpu) const {
  const CublasLt& lt = cublaslt();
  const Handle<cublasLtMatmulPreferenceOpaque_t> preference(
      created<cublasLtMatmulPreferenceOpaque_t>(lt.cublasLtMatmulPreferenceCreate,
                                                "describing a preference"),
      lt.cublasLtMatmulPreferenceDestroy);
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    check(
        lt.cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof value),
        "describing a preference");
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, most_workspace);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignments_[0]);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignments_[1]);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignments_[2]);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignments_[2]);
  if (settings().deterministic)  // otherwise parts of k (split-k) are added in order of arrival
    prefer(
        CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
        uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE});
  std::vector<Algorithm> found(most_candidates);
  int count = 0;
  check(lt.cublasLtMatmulAlgoGetHeuristic(cublaslt_handle(gpu), operation_.get(), left_.get(),
                                          right_.get(), result_.get(), result_.get(),
                                          preference.get(), most_candidates, found.data(), &count),
        "choosing an algorithm");
  found.resize(static_cast<size_t>(count));
  if (found.empty()) throw CudaError("cuBLASLt has no algorithm for this product.");
  return found;
}

// Benchmarks the candidates while planning: the fastest is kept, and its code is loaded before a
// graph is captured, when that would be too late.
void CublasltGemm::choose(const Gpu& gpu, const Gemm& p, DType part, const std::string& key) {
  static auto& known = *new Memo<Algorithm>;
  algorithm_ = known.get(fmt::format("{} {}", gpu.index, key), [&] {
    const std::string kept = choice_key(gpu, "cuBLASLt", cublaslt().cublasLtGetVersion(),
                                        fmt::format("{}, aligned to {} {} {}", key, alignments_[0],
                                                    alignments_[1], alignments_[2]));
    if (take_over_cached(read_cached(kept), gpu, p, part)) return algorithm_;
    const Algorithm chosen = fastest(gpu, p, part);
    write_cached(kept, {reinterpret_cast<const char*>(&chosen.algo), sizeof chosen.algo});
    return chosen;
  });
}

// The choice of an earlier run. cuBLASLt's algorithms are plain bytes that may be stored.
bool CublasltGemm::take_over_cached(const std::string& bytes, const Gpu& gpu, const Gemm& p,
                                    DType part) {
  Algorithm kept{};
  if (bytes.size() != sizeof kept.algo) return false;
  std::memcpy(&kept.algo, bytes.data(), sizeof kept.algo);
  if (!take_over(kept, gpu)) return false;
  try_out(gpu, p, part, [](auto encode) { encode(); });
  return true;
}

// Calls body with a function that runs algorithm_ once, on temporary memory; not at all if there is
// none.
template <class F>
void CublasltGemm::try_out(const Gpu& gpu, const Gemm& p, DType part, F body) {
  make_current(gpu);
  const uint64_t a = static_cast<uint64_t>(p.batch * p.m * p.k) * size_of(p.in),
                 b = static_cast<uint64_t>(p.batch * p.n * p.k) * size_of(p.in),
                 c = static_cast<uint64_t>(p.batch * p.m * p.n) * size_of(part);
  const uint64_t row = static_cast<uint64_t>(p.n) * size_of(part);
  Scratch scratch(gpu, a + b + c + row + most_workspace + 5 * 256);
  if (!scratch) return;
  GemmArguments x{};
  x.a = scratch.take(a), x.b = scratch.take(b);
  x.bias = scratch.take(row);
  void *out = scratch.take(c), *room = scratch.take(most_workspace);
  body([&] { encode(gpu, x, out, room); });
}

// False if it does not support this product.
bool CublasltGemm::take_over(const Algorithm& algorithm, const Gpu& gpu) {
  algorithm_ = algorithm;
  return cublaslt().cublasLtMatmulAlgoCheck(
             cublaslt_handle(gpu), operation_.get(), left_.get(), right_.get(), result_.get(),
             result_.get(), &algorithm.algo, &algorithm_) == CUBLAS_STATUS_SUCCESS &&
         algorithm_.workspaceSize <= most_workspace;
}

CublasltGemm::Algorithm CublasltGemm::fastest(const Gpu& gpu, const Gemm& p, DType part) {
  if (is_too_much_to_try(p) &&
      take_over(CublasltGemm(small_enough_to_try(p), part, epilogue_).algorithm_, gpu))
    return algorithm_;
  const auto found = candidates(gpu);
  const bool timed = flops_of(p) >= worth_timing && !is_too_much_to_try(p) && chooses_by_time();
  size_t best = 0;
  double least = 0;
  try_out(gpu, p, part, [&](auto encode) {
    Stopwatch watch(gpu);
    for (size_t i = 0; i < (timed ? found.size() : 1); ++i) {
      algorithm_ = found[i];
      encode();
      watch.start();
      for (int repeat = 0; timed && repeat < 3; ++repeat) encode();
      const double time = watch.microseconds();
      if (i == 0 || time < least) best = i, least = time;
    }
  });
  return found[best];
}

void CublasltGemm::encode(const Gpu& gpu, const GemmArguments& x, void* out,
                          void* workspace) const {
  if (bias_) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, &x.bias, sizeof x.bias);
  const float one = 1, zero = 0;
  const double one_double = 1, zero_double = 0;
  const void *alpha = double_ ? static_cast<const void*>(&one_double) : &one,
             *beta = double_ ? static_cast<const void*>(&zero_double) : &zero;
  check(
      cublaslt().cublasLtMatmul(cublaslt_handle(gpu), operation_.get(), alpha, x.b, left_.get(),
                                x.a, right_.get(), beta, out, result_.get(), out, result_.get(),
                                &algorithm_.algo, workspace, algorithm_.workspaceSize, gpu.stream),
      "multiplying matrices");
}

}  // namespace stoker::cuda
