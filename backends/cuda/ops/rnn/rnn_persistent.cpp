#include "ops/rnn/rnn_persistent_text.h"

// lstm, gru, simple_rnn and their gradients: one launch for all steps, with a cluster of blocks for
// some rows of the batch.
namespace stoker::cuda {
namespace {

constexpr int most_registers = 144;  // of weights, per thread

std::string refuse(const RnnProblem& p, const Gpu& gpu) {
  if (gpu.capability < 90)
    return fmt::format("compute capability {}.{} has no clusters of blocks", gpu.capability / 10,
                       gpu.capability % 10);
  if (p.dtype == DType::float64) return "tensor cores do not multiply float64 here";
  if (p.dtype == DType::float32 && !settings().tf32)
    return "it multiplies in TF32, which is switched off";
  return {};
}

int largest_cluster(const Gpu& gpu) {
  if (!gpu.has_clusters) return 1;
  return gpu.capability == 90 && gpu.multiprocessors >= 100 ? 16 : 8;
}

// The smallest cluster with one unit of a row per thread, and its weights in registers.
int cluster_for(const RnnProblem& p, const Gpu& gpu) {
  const int most = largest_cluster(gpu);
  for (int cluster = 1; cluster < most; cluster *= 2) {
    const RnnLayout at = lay_out(p, cluster, 8);
    if (at.own * at.rows <= rnn_threads && at.registers() < most_registers) return cluster;
  }
  return most;
}

// As few rows as allow all clusters to run concurrently, if shared memory suffices.
RnnLayout layout_for(const RnnProblem& p, const Gpu& gpu) {
  const int cluster = cluster_for(p, gpu);
  // Clusters do not span the GPU's processing clusters (GPCs): about one multiprocessor in twelve
  // stays idle.
  const int at_once = std::max(1, gpu.multiprocessors * 11 / 12 / cluster);
  int rows = 8;
  while (rows < 32 && p.batch > int64_t{rows} * at_once) rows *= 2;
  const auto fits = [&](const RnnLayout& at) {
    return at.shared_bytes <= static_cast<unsigned int>(gpu.shared_memory);
  };
  while (rows > 8 && !fits(lay_out(p, cluster, rows))) rows /= 2;
  return lay_out(p, cluster, rows);
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const RnnProblem p = rnn_problem_of(node);
  if (refuse_non_floats(p.dtype, refusal)) return nullptr;
  const Gpu& gpu = current_gpu();
  if (refusal = refuse(p, gpu); !refusal.empty()) return nullptr;
  if (p.batch == 0 || p.units == 0) return do_nothing();
  const RnnLayout at = layout_for(p, gpu);
  if (at.registers() > most_registers ||
      at.shared_bytes > static_cast<unsigned int>(gpu.shared_memory)) {
    refusal = fmt::format("{} units are too many for {} blocks to hold their weights", p.units,
                          at.cluster);
    return nullptr;
  }
  const auto function = make_function(rnn_persistent_text(p, at), "rnn_persistent");
  const auto cluster = static_cast<unsigned int>(at.cluster);
  const LaunchShape shape{.blocks = blocks_for(p.batch, at.rows) * cluster,
                          .threads = rnn_threads,
                          .shared_bytes = at.shared_bytes,
                          .cluster = cluster};
  return make_kernel({function}, [=](Encoder& encoder, void* const* arguments, void*) {
    encoder.launch(*function, shape, bind_rnn(p, arguments));
  });
}

const RegisterKernel lstm{"lstm", "persistent", optimised, plan};
const RegisterKernel gru{"gru", "persistent", optimised, plan};
const RegisterKernel simple_rnn{"simple_rnn", "persistent", optimised, plan};
const RegisterKernel lstm_grad{"lstm_grad", "persistent", optimised, plan};
const RegisterKernel gru_grad{"gru_grad", "persistent", optimised, plan};
const RegisterKernel simple_rnn_grad{"simple_rnn_grad", "persistent", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
