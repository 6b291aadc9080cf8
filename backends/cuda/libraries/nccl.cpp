#include "libraries/nccl.h"

#include <fmt/format.h>

#include <optional>

#include "libraries/library.h"

namespace stoker::cuda {
namespace {

constexpr int oldest = 20900;

Nccl open_nccl() {
  const Library library("NCCL", {"libnccl.so.2"});
  Nccl n{};
  const auto load = [&library]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(library.symbol(name));
  };
  load(n.get_version, "ncclGetVersion");
  n.get_version(&n.version);
  n.file = library.file();
  if (n.version < oldest)
    throw CudaError(fmt::format("{} is NCCL {}, and {} or newer is needed.", n.file,
                                nccl_version_text(n.version), nccl_version_text(oldest)));
  load(n.get_unique_id, "ncclGetUniqueId");
  load(n.init_rank, "ncclCommInitRank");
  load(n.destroy, "ncclCommDestroy");
  load(n.abort, "ncclCommAbort");
  load(n.error_string, "ncclGetErrorString");
  if (library.has("ncclGetLastError")) load(n.last_error, "ncclGetLastError");
  load(n.all_reduce, "ncclAllReduce");
  load(n.all_gather, "ncclAllGather");
  load(n.broadcast, "ncclBroadcast");
  load(n.group_start, "ncclGroupStart");
  load(n.group_end, "ncclGroupEnd");
  n.is_emulated = library.has("stoker_emulates_nccl");
  return n;
}

}  // namespace

const Nccl& nccl() {
  static std::string failure;
  static const std::optional<Nccl> opened = []() -> std::optional<Nccl> {
    try {
      return open_nccl();
    } catch (const CudaError& error) {
      failure = error.what();
      return std::nullopt;
    }
  }();
  if (!opened) throw CudaError(failure);
  return *opened;
}

// Up to 2.8 version codes are major * 1000 + minor * 100 + patch.
std::string nccl_version_text(int version) {
  const int unit = version < 10000 ? 1000 : 10000;
  return fmt::format("{}.{}.{}", version / unit, version % unit / 100, version % 100);
}

void check(NcclResult status, const char* doing) {
  if (status == NcclResult::success) return;
  const char* const more = nccl().last_error ? nccl().last_error(nullptr) : "";
  throw CudaError(fmt::format("{}: NCCL reports {}{}{}.", doing, nccl().error_string(status),
                              more && *more ? ", " : "", more ? more : ""));
}

NcclSum nccl_sum(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return {NcclType::float32, NcclOp::sum};
    case DType::float64:
      return {NcclType::float64, NcclOp::sum};
    case DType::float16:
      return {NcclType::float16, NcclOp::sum};
    case DType::bfloat16:
      return {NcclType::bfloat16, NcclOp::sum};
    case DType::int8:
      return {NcclType::int8, NcclOp::sum};
    case DType::int32:
      return {NcclType::int32, NcclOp::sum};
    case DType::int64:
      return {NcclType::int64, NcclOp::sum};
    case DType::uint8:
      return {NcclType::uint8, NcclOp::sum};
    case DType::boolean:
      break;
  }
  return {NcclType::uint8, NcclOp::maximum};
}

}  // namespace stoker::cuda
