#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fiber.h"
#include "module.h"

namespace stoker::emulator {

using stoker_emulator::Index;
using stoker_emulator::Kernel;
using stoker_emulator::Module;
using stoker_emulator::Word;

struct Launch {
  Module* module;
  const Kernel* kernel;
  Index blocks, threads;
  size_t shared_bytes;  // dynamic
  void** arguments;
};

// Runs the blocks of a launch one after the other, and the threads of a block cooperatively: each
// until it waits for others or ends. A thread that never waits costs a function call, others a
// fiber.
class BlockRunner {
 public:
  BlockRunner();
  // Returns the error, if any.
  std::optional<std::string> run(const Launch& launch);

  // Called by kernels.
  int wait_for_block(bool value, int line);
  const Word* wait_for_warp(unsigned int mask, Word word, int line);
  void trap(int line);

 private:
  enum class State { unstarted, ready, at_block, at_warp, done };
  struct Thread {
    State state;
    Index index;
    Fiber* fiber;
    int line;
    unsigned int mask;
    bool value;
    int count;
    Word word;
    Word seen[stoker_emulator::warp_size];
  };

  void run_blocks();
  void run_block();
  void prepare_block();
  void check_shared();
  void start_unstarted();
  void run_threads();  // the body of every fiber
  void resume(Thread& thread);
  bool release_warps();
  bool release_warp(size_t first);
  bool release_lanes(size_t first, unsigned int mask, int line);
  bool release_block();
  bool all_done() const;
  size_t at(size_t turn) const;  // the thread to run next
  void fail(std::string why);
  std::string stuck() const;
  std::string place() const;

  Launch launch_{};
  bool backward_;
  std::vector<Thread> threads_;
  size_t started_ = 0;
  Thread* current_ = nullptr;
  Fiber* entered_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  std::string failure_;
};

}  // namespace stoker::emulator
