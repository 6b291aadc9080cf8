#pragma once
#include <vector>

#include "core/round_up.h"
#include "kernel.h"
#include "ops/elementwise/elementwise_functions.h"
#include "ops/elementwise/elementwise_loader.h"

namespace stoker::cpu {

// A planned elementwise program. Every value of a tile has a slot: a pointer that advances through
// an argument, or a buffer in the part's scratch memory.
struct TileProgram {
  struct Moving {  // slot = argument + position
    int slot, argument;
    size_t bytes;
  };
  struct Gathered {  // an input whose layout differs from the output's
    int slot, argument, buffer;
    size_t bytes;
    bool every_tile;  // false: all tiles have the same
  };
  struct Buffered {
    int slot, buffer;
  };
  struct Step {
    TileFunction function;
    int a, b, c, out;
  };
  struct Flush {  // results that must not be written before all inputs are read
    int slot, argument;
    size_t bytes;
  };
  IterationSpace space;
  int64_t tile = 1;
  int parts = 1;  // parts for the threads, each with its own buffers
  int slots = 0, buffers = 0;
  std::vector<Moving> moving;
  std::vector<Gathered> gathered;
  std::vector<Buffered> buffered;
  std::vector<Step> steps;
  std::vector<Flush> flushes;

  size_t buffer_bytes() const { return static_cast<size_t>(round_up(tile * 8, 64)); }
  uint64_t workspace() const {
    return static_cast<uint64_t>(parts) * static_cast<uint64_t>(buffers) * buffer_bytes();
  }
};

inline constexpr int max_slots = 768;

void run_tiles(const TileProgram& program, void* const* arguments, void* workspace);

}  // namespace stoker::cpu
