#include "core/round_up.h"
#include "ops/gemm/cublaslt_matmul.h"
#include "ops/layout_text.h"

// A weight gradient in TF32 by cuBLASLt with its operands transposed first: tensor cores take
// float32 along k only, and the library takes twice as long if both are stored across it.
// Transposing reads every row of b, so it also updates a bias.
namespace stoker::cuda {
namespace {

constexpr int64_t tile_down = 256, tile_across = 64;

int64_t tiles_down(const Gemm& p) { return ceil_div(p.k, tile_down); }
int64_t tiles_across(int64_t width) { return ceil_div(width, tile_across); }
uint64_t floats(int64_t count) { return round_up(static_cast<uint64_t>(count) * 4, 256); }

// Is the GEMM faster when its operands are transposed first, so that k is their contiguous
// dimension? Transposing reads and writes both operands once; the product saves half of its time.
bool is_worth_transposing(const Gemm& p) {
  const bool across = p.in == DType::float32 && settings().tf32 && p.trans_a && !p.trans_b;
  if (!across || p.m % 4 != 0 || p.n % 4 != 0 || p.k % 4 != 0 ||
      tiles_across(p.n) > most_split_groups)
    return false;
  constexpr double flops_lost = 150e12, bytes_a_second = 4e12, launch = 1e-6;
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n),
             k = static_cast<double>(p.k);
  return m * n * k / flops_lost > 8 * (m + n) * k / bytes_a_second + launch;
}

// The offsets of the workspace's parts, in bytes.
struct WorkspaceOffsets {
  uint64_t a, b, sums, part, library;
  WorkspaceOffsets(const Gemm& p)
      : a(0),
        b(a + floats(p.m * p.k)),
        sums(b + floats(p.n * p.k)),
        part(sums + (p.bias_step ? floats(tiles_down(p) * p.n) : 0)),
        library(part + (p.adam ? floats(p.m * p.n) : 0)) {}
};

std::unique_ptr<Kernel> with_transposed_operands(const Gemm& p) {
  Gemm transposed = p;
  transposed.trans_a = false;
  transposed.trans_b = true;
  const auto product =
      std::make_shared<CublasltGemm>(transposed, p.adam ? DType::float32 : p.out, false);
  const auto transpose =
      make_function(gemm_source("gemm/transpose_operands.cuh", p), "transpose_operands");
  const Finishing finishing = make_finishing(p, DType::float32);
  const WorkspaceOffsets offsets(p);
  const int down = static_cast<int>(tiles_down(p)),
            of_a = static_cast<int>(tiles_across(p.m)) * down,
            of_b = static_cast<int>(tiles_across(p.n)) * down;
  return make_kernel(
      {transpose, finishing.function},
      [=](Encoder& encoder, void* const* arguments, void* workspace) {
        char* const room = static_cast<char*>(workspace);
        void *const a = room + offsets.a, *const b = room + offsets.b;
        GemmArguments x = bind(p, arguments);
        encoder.launch(*transpose, {.blocks = static_cast<unsigned int>(of_a + of_b)}, x, a, b,
                       static_cast<void*>(room + offsets.sums), of_a, down);
        x.a = a;
        x.b = b;
        x.partial = p.adam ? room + offsets.part : x.out;
        product->encode(encoder.gpu(), x, x.partial, room + offsets.library);
        if (p.adam) finishing.encode(encoder, x);
      },
      offsets.library + product->workspace());
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const Gemm p = product_of(node);
  if (!is_worth_transposing(p))
    refusal = "operands need not be transposed";
  else if (!current_gpu().context || !current_gpu().has_libraries)
    refusal = "there is no GPU to choose an algorithm for";
  if (!refusal.empty()) return nullptr;
  try {
    return with_transposed_operands(p);
  } catch (const CudaError& error) {
    refusal = error.what();
    return nullptr;
  }
}

const RegisterKernel matmul{"matmul", "cublaslt_transposed", specialised, plan};
const RegisterKernel matmul_adam{"matmul_adam", "cublaslt_transposed", specialised, plan};
const RegisterKernel matmul_adam_bias{"matmul_adam_bias", "cublaslt_transposed", specialised, plan};

}  // namespace
}  // namespace stoker::cuda
