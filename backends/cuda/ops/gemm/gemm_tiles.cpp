#include <cstdio>

#include "disk_cache.h"
#include "memo.h"
#include "ops/gemm/cublaslt_matmul.h"
#include "ops/gemm/gemm_tiles_source.h"
#include "ops/timing.h"

// GEMMs for which cuBLASLt is slow: few rows, few columns, short k, or followed by an Adam update.
// One kernel, or two if k is very long.
namespace stoker::cuda {
namespace {

std::string refused(const Gemm& p, const Gpu& gpu) {
  if (p.in == DType::float64 || !is_floating(p.in))
    return fmt::format("tensor cores do not compute in {}", name_of(p.in));
  if (p.in == DType::float32 && !settings().tf32) return "TF32 is off";
  if (p.empty() || p.k == 0) return "an operand is empty";
  if (gpu.capability < 80) return "needs compute capability 8.0";
  // cuBLASLt's float32 kernels are slow if both operands are transposed, as in a weight gradient.
  if (is_large(p) && !(p.in == DType::float32 && p.trans_a && !p.trans_b))
    return "cuBLASLt is faster for large products";
  return "";
}

std::unique_ptr<Kernel> with_tiles(const Gemm& p, const Tiling& t) {
  const auto function = make_function(gemm_tiles_source(p, t), "gemm", fast_division());
  const LaunchShape shape{.blocks = static_cast<unsigned int>(t.tiles(p) * t.cluster),
                          .threads = static_cast<unsigned int>(t.threads()),
                          .blocks_y = static_cast<unsigned int>(t.splits),
                          .shared_bytes = shared_bytes(p, t),
                          .cluster = static_cast<unsigned int>(t.cluster)};
  if (t.splits == 1)
    return make_kernel({function}, [=](Encoder& encoder, void* const* arguments, void*) {
      GemmArguments x = bind(p, arguments);
      cut(x, p, t);
      encoder.launch(*function, shape, x);
    });
  const Finishing finishing = make_finishing(p, DType::float32, t.splits);
  return make_kernel(
      {function, finishing.function},
      [=](Encoder& encoder, void* const* arguments, void* scratch) {
        GemmArguments x = bind(p, arguments, scratch);
        cut(x, p, t);
        encoder.launch(*function, shape, x);
        finishing.encode(encoder, x);
      },
      static_cast<uint64_t>(t.splits * p.m * p.n) * sizeof(float));
}

struct Times {
  double own = 0, library = 0;  // microseconds; 0: unknown
};

Times read_times(const std::string& text) {
  Times times;
  return std::sscanf(text.c_str(), "%lf %lf", &times.own, &times.library) == 2 ? times : Times{};
}

// The times measured by an earlier run, or now.
Times times_of(Kernel& own, const NodeView& node, const Gpu& gpu, const std::string& key) {
  const std::string kept = choice_key(gpu, "cuBLASLt or tiles", cublaslt().cublasLtGetVersion(),
                                      fmt::format("{}: {}", key, own.functions.front()->text()));
  if (const Times times = read_times(read_cached(kept)); times.library > 0) return times;
  std::string refusal;
  const auto library = plan_cublaslt_gemm(node, refusal);
  if (!library) return {};
  const Times times{microseconds_of(own, node, gpu), microseconds_of(*library, node, gpu)};
  if (times.library > 0) write_cached(kept, fmt::format("{} {}", times.own, times.library));
  return times;
}

// Both are benchmarked at the first plan of a shape, as no rule fits every GPU; the choice is
// cached.
bool library_is_faster(Kernel& own, const NodeView& node, const Gemm& p, std::string& why) {
  static auto& known = *new Memo<Times>;
  const Gpu& gpu = current_gpu();
  const std::string key = fmt::format("{} {}", node.op, key_of(p));
  const Times times = known.get(fmt::format("{} {} {:d}", gpu.index, key, settings().tf32.load()),
                                [&] { return times_of(own, node, gpu, key); });
  if (times.library == 0 || times.own <= times.library) return false;
  why = fmt::format("cuBLASLt takes {:.1f} us instead of {:.1f}", times.library, times.own);
  return true;
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const Gemm p = product_of(node);
  const Gpu& gpu = current_gpu();
  refusal = refused(p, gpu);
  if (!refusal.empty()) return nullptr;
  auto kernel = with_tiles(p, tiling_for(p, gpu));
  const bool timed = gpu.context && chooses_by_time() && !is_too_much_to_try(p);
  if (timed && library_is_faster(*kernel, node, p, refusal)) return nullptr;
  return kernel;
}

const RegisterKernel matmul{"matmul", "tensor_tiles", specialised, plan};
const RegisterKernel fused_matmul{"fused_matmul", "tensor_tiles", specialised, plan};
const RegisterKernel matmul_adam{"matmul_adam", "tensor_tiles", specialised, plan};
const RegisterKernel matmul_adam_bias{"matmul_adam_bias", "tensor_tiles", specialised, plan};

}  // namespace
}  // namespace stoker::cuda
