#include "core/round_up.h"
#include "ops/rnn/rnn_persistent_text.h"

namespace stoker::cuda {
namespace {

int parts(int64_t n, int64_t of) { return static_cast<int>(ceil_div(n, of)); }
int pack_of(DType dtype) { return is_half(dtype) ? 8 : 4; }

// Padded row length without bank conflicts.
int padded(int n) { return n + (12 - n % 8) % 8; }

}  // namespace

RnnLayout lay_out(const RnnProblem& p, int cluster, int rows) {
  constexpr int warps = rnn_threads / 32;
  const int pack = pack_of(p.dtype), pack_bytes = rows * 16 * rnn_parts(p.dtype);
  RnnLayout at{
      .cluster = cluster, .own = parts(parts(p.units, cluster), pack) * pack, .rows = rows};
  const int columns = p.gates() * at.own;
  if (p.backward) {
    at.k_warps = 1;
    at.tiles = parts(parts(p.units, 16), warps);
    at.groups = parts(columns, 4 * pack);
    at.stride = padded(at.own);
    at.message = rows * at.stride * 4;
    at.shared_bytes =
        static_cast<unsigned int>(at.groups * 4 * pack_bytes + 4 * cluster * at.message + 16);
    return at;
  }
  int least = 0;  // bytes of shared memory accessed per step
  for (int k_warps : {1, 2, 4, 8}) {
    const int tiles = parts(parts(columns, 16), warps / k_warps);
    const int groups = parts(parts(cluster * at.own, 4 * pack), k_warps);
    const int bytes = warps * groups * 4 * pack_bytes + 2 * k_warps * rows * columns * 4;
    RnnLayout other = at;
    other.k_warps = k_warps, other.tiles = tiles, other.groups = groups;
    if (least > 0 && (bytes >= least || other.registers() > at.registers())) continue;
    least = bytes;
    at = other;
  }
  at.stride = padded(columns);
  at.message = at.own / pack * pack_bytes;
  at.shared_bytes =
      static_cast<unsigned int>(2 * at.k_warps * at.groups * 4 * pack_bytes + 2 * at.message +
                                at.k_warps * rows * at.stride * 4 + 16);
  return at;
}

}  // namespace stoker::cuda
