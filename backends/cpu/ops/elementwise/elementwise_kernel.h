#pragma once
#include <vector>

#include "kernel.h"
#include "ops/elementwise/elementwise_functions.h"
#include "ops/elementwise/elementwise_loader.h"

namespace stoker::cpu {

// An elementwise program after planning. Every value of a tile has a slot: a pointer that moves
// through an argument, or a buffer of the part's scratch memory.
struct TileProgram {
  struct Moving {  // slot = argument + position
    int slot, argument;
    size_t bytes;
  };
  struct Gathered {  // an input that lies otherwise than the output
    int slot, argument, buffer;
    size_t bytes;
    bool every_tile;  // false: each tile has the same
  };
  struct Buffered {
    int slot, buffer;
  };
  struct Step {
    TileFunction function;
    int a, b, c, out;
  };
  struct Flush {  // results that could not be written while inputs were still to be read
    int slot, argument;
    size_t bytes;
  };
  IterationSpace space;
  int64_t tile = 1;
  int parts = 1;  // pieces for the threads, each with buffers of its own
  int slots = 0, buffers = 0;
  std::vector<Moving> moving;
  std::vector<Gathered> gathered;
  std::vector<Buffered> buffered;
  std::vector<Step> steps;
  std::vector<Flush> flushes;

  size_t buffer_bytes() const { return static_cast<size_t>((tile * 8 + 63) / 64 * 64); }
  uint64_t workspace() const {
    return static_cast<uint64_t>(parts) * static_cast<uint64_t>(buffers) * buffer_bytes();
  }
};

inline constexpr int max_slots = 768;

void run_tiles(const TileProgram& program, void* const* arguments, void* workspace);

}  // namespace stoker::cpu
