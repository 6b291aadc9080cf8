#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "context.h"

namespace stoker::cuda {

// The machine code of a program for a kind of GPU. Cached in memory and in STOKER_CACHE_DIR, else
// XDG_CACHE_HOME/stoker, else ~/.cache/stoker. NVRTC's messages name the files of kernels/.
std::string compile_text(const std::string& text, const Gpu& gpu,
                         const std::vector<std::string>& options = {});

// A kernel function that is compiled and loaded on first use: planning stays fast, and a program's
// kernels are compiled in parallel on all cores.
class Function {
 public:
  Function(const std::string& text, std::string entry, std::vector<std::string> options = {});

  const std::string& text() const { return text_; }
  const std::vector<std::string>& options() const { return options_; }
  size_t length() const { return length_; }  // including all included files
  // It may be launched before the kernels whose results it reads are done (programmatic dependent
  // launch): it waits itself.
  bool starts_early() const { return starts_early_; }
  // Its launches must not overlap: they use common block counters.
  bool counts_blocks() const { return counts_blocks_; }
  // Loads it into the GPU's context on first use; afterwards one atomic read.
  CUfunction on(const Gpu& gpu) {
    std::atomic<CUfunction>& loaded = loaded_[static_cast<size_t>(gpu.index)];
    const CUfunction ready = loaded.load(std::memory_order_acquire);
    return ready ? ready : load(gpu, loaded);
  }

 private:
  CUfunction load(const Gpu& gpu, std::atomic<CUfunction>& loaded);

  std::string text_, entry_;
  std::vector<std::string> options_;
  size_t length_;
  bool starts_early_ = false, counts_blocks_ = false;
  std::array<std::atomic<CUfunction>, most_gpus> loaded_{};  // by GPU
};
// Equal texts give the same function.
std::shared_ptr<Function> make_function(const std::string& text, const std::string& entry,
                                        const std::vector<std::string>& options = {});

// Compiles them in parallel, so that on() finds them ready.
void compile_together(const std::vector<std::shared_ptr<Function>>& functions, const Gpu& gpu);

}  // namespace stoker::cuda
