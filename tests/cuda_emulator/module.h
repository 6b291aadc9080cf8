#pragma once

// What a compiled kernel file and the emulated driver know of each other. It includes nothing:
// kernels have types of their own under the names of the system's.
namespace stoker_emulator {

using Word = unsigned long long;
constexpr int warp_size = 32;

struct Index {
  unsigned int x, y, z;
};

// The driver's functions that kernels call. line tells apart the places at which threads wait.
struct Runtime {
  // Until all threads of the block are here; how many of them brought true.
  int (*wait_for_block)(bool value, int line);
  // Until all threads of the mask are here; the words that the lanes brought.
  const Word* (*wait_for_warp)(unsigned int mask, Word word, int line);
  void (*trap)(int line);
};

struct Kernel {
  const char* name;
  void (*run)(void** arguments);
  const Word* argument_bytes;
  int arguments;
};

// One per compiled file, exported as stoker_emulated_module.
struct Module {
  Index thread, block, threads, blocks;  // of the thread that runs now
  const Runtime* runtime;
  const Kernel* kernels;
  int num_kernels;
  char *shared, *shared_end;  // __shared__ variables
  char* dynamic_shared;
  Word dynamic_shared_bytes;
};

}  // namespace stoker_emulator
