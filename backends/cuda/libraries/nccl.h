#pragma once
#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "stoker/dtype.h"

// NCCL, opened when ranks first reduce on GPUs. Declares the used part of nccl.h, as the header is
// not always installed.
namespace stoker::cuda {

struct Gpu;

using NcclComm = struct ncclComm*;
struct NcclId {
  char bytes[128];
};
enum class NcclResult : int { success = 0, in_progress = 7 };
enum class NcclType : int {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
  bfloat16
};
enum class NcclOp : int { sum, product, maximum, minimum };

struct Nccl {
  NcclResult (*get_version)(int*);
  NcclResult (*get_unique_id)(NcclId*);
  NcclResult (*init_rank)(NcclComm*, int ranks, NcclId, int rank);
  NcclResult (*destroy)(NcclComm);
  NcclResult (*abort)(NcclComm);
  const char* (*error_string)(NcclResult);
  const char* (*last_error)(NcclComm);  // null before NCCL 2.13
  NcclResult (*all_reduce)(const void* from, void* to, size_t count, NcclType, NcclOp, NcclComm,
                           CUstream);
  NcclResult (*all_gather)(const void* from, void* to, size_t count, NcclType, NcclComm, CUstream);
  NcclResult (*broadcast)(const void* from, void* to, size_t count, NcclType, int root, NcclComm,
                          CUstream);
  NcclResult (*group_start)();
  NcclResult (*group_end)();
  int version = 0;  // 22703 is 2.27.3
  std::string file;
  bool is_emulated = false;
};

// Throws CudaError with the reason, on every call, if NCCL is missing or older than 2.9, the first
// version whose calls can be captured into a graph.
const Nccl& nccl();
std::string nccl_version_text(int version);  // "2.27.3"
// The first version in which several ranks may share a GPU; NCCL_MULTI_RANK_GPU_ENABLE=1 permits
// it.
inline constexpr int nccl_shares_gpus = 23000;

// Throws CudaError with NCCL's message for the status.
void check(NcclResult status, const char* doing);

struct NcclSum {
  NcclType type;
  NcclOp op;  // for booleans: logical or over the ranks
};
NcclSum nccl_sum(DType dtype);

}  // namespace stoker::cuda
