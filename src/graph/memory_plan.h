#pragma once
#include <vector>

#include "graph/graph.h"

namespace stoker::graph {

// Where a value's bytes are while the step runs.
struct Place {
  enum Kind { arena, input, state, constant } kind = arena;
  int64_t index = 0;  // which input, state or constant; for the arena: the offset in bytes
};

struct StateCopy {
  ValueId from;
  int32_t state;
};

// A piece of the arena: one value, a sequence of values that reuse it in place, or a workspace.
struct Block {
  int64_t bytes;
  int32_t first, last;  // nodes between which it is needed
  int64_t offset = 0;
};

struct MemoryPlan {
  std::vector<Place> places;        // by value
  std::vector<int64_t> workspaces;  // by node: offset in the arena
  std::vector<int64_t> workspace_bytes;
  std::vector<StateCopy> copies;  // updates that could not be written in place, done last
  std::vector<Block> blocks;
  std::vector<int32_t> block_of;  // by value; -1: not in the arena
  int64_t arena_bytes = 0;
  int64_t block_bytes = 0;  // of all blocks: what they would take without reuse
  bool no_reuse = false;    // no two blocks share bytes
  // Where the arena is a double buffer: the offset of the second buffer, which every second step
  // uses. 0: there is one buffer.
  int64_t double_buffer = 0;
};

// Computes an offset in one arena for every value from its lifetime. Views share their input's
// place, ops that may work in place do so if the input is not used afterwards, and a state's new
// value is written over the old one if nothing reads the old one any more. If all blocks together
// need at most `no_reuse_limit` bytes, no memory is reused: reuse makes calls wait for each other.
// If they need at most a quarter of that, the arena is a double buffer, so that a step can begin
// before the previous one ends.
MemoryPlan plan_memory(const Graph& graph, const std::vector<int64_t>& workspace_bytes,
                       int64_t no_reuse_limit = 0);

inline constexpr int64_t arena_alignment = 256;

}  // namespace stoker::graph
