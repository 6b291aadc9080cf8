#include "ranks/communicator.h"

#include <fmt/format.h>

#include <utility>

namespace stoker::cuda {

Communicator::Communicator(const Gpu& gpu, int rank, int size, const NcclId& id)
    : gpu_(gpu), size_(size) {
  make_current(gpu);
  const GpuWait wait;
  check(nccl().init_rank(&comm_, size, id, rank), "joining the other ranks");
}

Communicator::~Communicator() {
  if (comm_) nccl().destroy(comm_);
}

void Communicator::abort() {
  if (comm_) nccl().abort(std::exchange(comm_, nullptr));
}

void Communicator::all_reduce(const void* from, void* to, int64_t count, DType dtype,
                              CUstream stream) const {
  const NcclSum sum = nccl_sum(dtype);
  const GpuWait wait;
  check(nccl().all_reduce(from, to, static_cast<size_t>(count), sum.type, sum.op, comm_, stream),
        "adding over the ranks");
}

void Communicator::all_gather(const void* from, void* to, uint64_t bytes, CUstream stream) const {
  const GpuWait wait;
  check(nccl().all_gather(from, to, bytes, NcclType::uint8, comm_, stream),
        "gathering from the ranks");
}

void Communicator::broadcast(const void* from, void* to, uint64_t bytes, int root,
                             CUstream stream) const {
  const GpuWait wait;
  check(nccl().broadcast(from, to, bytes, NcclType::uint8, root, comm_, stream),
        "sending to all ranks");
}

std::string why_no_nccl(const Gpu& gpu) {
  try {
    if (nccl().is_emulated || gpu.has_libraries) return "";
    return fmt::format("the driver of {} does not support NVIDIA's libraries.", gpu.name);
  } catch (const CudaError& error) {
    return error.what();
  }
}

}  // namespace stoker::cuda
