#pragma once

// The interface between a compiled kernel file and the emulated driver. It includes nothing:
// kernels define types with the names of the system's.
namespace stoker_emulator {

using Word = unsigned long long;
constexpr int warp_size = 32;

struct Index {
  unsigned int x, y, z;
};

// The driver's functions that kernels call. `line` identifies the place where threads wait.
struct Runtime {
  // Waits for all threads of the block; returns how many passed true.
  int (*wait_for_block)(bool value, int line);
  // Waits for all threads of the mask; returns the lanes' words.
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
  Index thread, block, threads, blocks;  // of the running thread
  const Runtime* runtime;
  const Kernel* kernels;
  int num_kernels;
  char *shared, *shared_end;  // __shared__ variables
  char* dynamic_shared;
  Word dynamic_shared_bytes;
};

}  // namespace stoker_emulator
