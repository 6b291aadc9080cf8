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

// A piece of the arena: one value or a row of them that take it over in place, or a workspace.
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
  int64_t block_bytes = 0;  // of all blocks: what they would take apart
  bool apart = false;       // no block has bytes of another
  // The arena as a double buffer: how far behind it lies its twin, which every second step uses; 0:
  // there is none.
  int64_t twin = 0;
};

// Lifetimes → offsets in one arena. Views share their input's place, ops that may work in place do
// so where the input dies, and a state's new value is written straight over the old one where
// nothing reads the old one any more. Where all blocks together need no more than `apart`, each has
// bytes of its own: memory that goes from one to the next makes calls wait for each other. Up to a
// quarter of that the arena is a double buffer, so that a step can begin before the previous one
// ends.
MemoryPlan plan_memory(const Graph& graph, const std::vector<int64_t>& workspace_bytes,
                       int64_t apart = 0);

inline constexpr int64_t arena_alignment = 256;

}  // namespace stoker::graph
