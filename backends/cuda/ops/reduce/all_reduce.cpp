#include "ops/support.h"
#include "ranks/join.h"

// Sums over the ranks of a training, captured into the step like any kernel. Small tensors that
// were merged into one node are reduced by one NCCL kernel, each in place.
namespace stoker::cuda {
namespace {

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const Communicator* const ranks = communicator_of(current_gpu());
  if (!ranks) {
    refusal = "the ranks are not joined by NCCL on this GPU";
    return nullptr;
  }
  std::vector<TensorType> types = node.in;
  auto kernel = make_kernel({}, [ranks, types](Encoder& encoder, void* const* a, void*) {
    NcclGroup group;
    for (size_t i = 0; i < types.size(); ++i)
      if (const int64_t count = types[i].shape.size(); count > 0)
        ranks->all_reduce(a[i], a[types.size() + i], count, types[i].dtype, encoder.stream());
    group.end();
  });
  kernel->handle = ranks;  // in the same order on all ranks
  for (const TensorType& type : types) kernel->sums += to_string(type) + " ";
  return kernel;
}

const RegisterKernel all_reduce{"all_reduce", "nccl", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
