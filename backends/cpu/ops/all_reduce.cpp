#include <algorithm>
#include <cstring>

#include "core/round_up.h"
#include "distribution/collectives_interface.h"
#include "ops/support.h"

namespace stoker::cpu {
namespace {

// Parts of one message: a call takes microseconds even for one number.
struct Part {
  size_t argument;
  int64_t count;
  uint64_t bytes, offset;  // in the workspace
};
struct Bucket {
  DType dtype;
  int64_t count = 0;
  std::vector<Part> parts;
};

constexpr uint64_t packed = uint64_t{64} << 10;  // smaller tensors are copied into one message
constexpr uint64_t alignment = 64;

// Small tensors of each dtype share a bucket; a large one is reduced in its own memory.
std::vector<Bucket> buckets_of(const NodeView& node, uint64_t& workspace) {
  std::vector<Bucket> buckets;
  for (size_t i = 0; i < node.in.size(); ++i) {
    const DType dtype = node.in[i].dtype;
    const int64_t count = node.in[i].shape.size();
    const uint64_t bytes = static_cast<uint64_t>(count) * size_of(dtype);
    auto found = std::ranges::find_if(buckets, [&](const Bucket& b) {
      return b.dtype == dtype && b.parts[0].bytes < packed && bytes < packed;
    });
    if (found == buckets.end()) found = buckets.insert(buckets.end(), Bucket{dtype});
    found->parts.push_back({i, count, bytes, static_cast<uint64_t>(found->count) * size_of(dtype)});
    found->count += count;
  }
  workspace = 0;
  for (Bucket& bucket : buckets) {
    if (bucket.parts.size() == 1) continue;
    for (Part& part : bucket.parts) part.offset += workspace;
    const uint64_t end = bucket.parts.back().offset + bucket.parts.back().bytes;
    workspace = round_up(end, alignment);
  }
  return buckets;
}

void reduce(const StokerCollectives& all, const Bucket& bucket, void* const* in, void* const* out,
            void* workspace) {
  const auto dtype = static_cast<int32_t>(bucket.dtype);
  const Part& first = bucket.parts[0];
  if (bucket.parts.size() == 1)
    return all.all_reduce(in[first.argument], out[first.argument], bucket.count, dtype);
  auto* const memory = static_cast<std::byte*>(workspace);
  for (const Part& part : bucket.parts)
    std::memcpy(memory + part.offset, in[part.argument], part.bytes);
  all.all_reduce(memory + first.offset, memory + first.offset, bucket.count, dtype);
  for (const Part& part : bucket.parts)
    std::memcpy(out[part.argument], memory + part.offset, part.bytes);
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string&) {
  const auto* all = reinterpret_cast<const StokerCollectives*>(node.integer("collectives"));
  uint64_t workspace = 0;
  auto buckets = buckets_of(node, workspace);
  const size_t count = node.in.size();
  return make_kernel(
      [all, buckets = std::move(buckets), count](void* const* p, void* memory) {
        for (const Bucket& bucket : buckets) reduce(*all, bucket, p, p + count, memory);
      },
      workspace);
}

const RegisterKernel all_reduce{"all_reduce", "buckets", reference, plan};

}  // namespace
}  // namespace stoker::cpu
