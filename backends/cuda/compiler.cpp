#include "compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "core/on_threads.h"
#include "disk_cache.h"
#include "kernel_files.h"
#include "memo.h"

namespace stoker::cuda {
namespace {

// The target of a compilation: a GPU's machine code or, if it is newer than NVRTC, PTX for the
// newest architecture that NVRTC supports, which the driver compiles.
struct Target {
  std::string architecture;
  bool ptx;
};

Target target_for(int capability) {
  const auto& known = nvrtc().architectures;  // ascending
  const auto above = std::ranges::upper_bound(known, capability);
  if (above == known.begin())
    throw CudaError(fmt::format("{} cannot compile for compute capability {}.{}.", nvrtc().file,
                                capability / 10, capability % 10));
  const int newest = *std::prev(above);
  if (newest < capability) return {fmt::format("compute_{}", newest), true};
  // Hopper's own instructions (bulk copies between cluster blocks, wgmma) need the "a" variant.
  return {fmt::format("sm_{}{}", capability, capability == 90 ? "a" : ""), false};
}

std::string numbered(const std::string& text) {
  std::string out;
  int line = 1;
  for (size_t at = 0; at < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += fmt::format("{:4} {}\n", line, text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

nvrtcProgram create_program(const std::string& text) {
  std::vector<const char*> names, texts;
  for (const KernelFile* file : included_files(text)) {
    names.push_back(file->name);
    texts.push_back(file->text);
  }
  nvrtcProgram program = nullptr;
  nvrtc().nvrtcCreateProgram(&program, text.c_str(), "kernel.cu", static_cast<int>(names.size()),
                             texts.data(), names.data());
  return program;
}

std::string run_nvrtc(const std::string& text, const std::vector<std::string>& options, bool ptx) {
  const Nvrtc& n = nvrtc();
  nvrtcProgram program = create_program(text);
  std::vector<const char*> flags;
  for (const std::string& option : options) flags.push_back(option.c_str());
  const nvrtcResult status =
      n.nvrtcCompileProgram(program, static_cast<int>(flags.size()), flags.data());
  if (status != NVRTC_SUCCESS) {
    size_t size = 0;
    n.nvrtcGetProgramLogSize(program, &size);
    std::string log(size, '\0');
    n.nvrtcGetProgramLog(program, log.data());
    n.nvrtcDestroyProgram(&program);
    throw CudaError(fmt::format("a kernel does not compile: {}\n{}\n{}",
                                n.nvrtcGetErrorString(status), log.c_str(), numbered(text)));
  }
  size_t size = 0;
  (ptx ? n.nvrtcGetPTXSize : n.nvrtcGetCUBINSize)(program, &size);
  std::string code(size, '\0');
  (ptx ? n.nvrtcGetPTX : n.nvrtcGetCUBIN)(program, code.data());
  n.nvrtcDestroyProgram(&program);
  return code;
}

}  // namespace

std::string compile_text(const std::string& text, const Gpu& gpu,
                         const std::vector<std::string>& options) {
  static auto& known = *new Memo<std::string>;  // waits for a text that is being compiled
  const Target target = target_for(gpu.capability);
  std::vector<std::string> flags = {
      "--gpu-architecture=" + target.architecture, "--std=c++17",
      "--device-as-default-execution-space",
      fmt::format("-DSTOKER_MULTIPROCESSORS={}", gpu.multiprocessors)};
  flags.insert(flags.end(), options.begin(), options.end());
  std::string key = fmt::format("{}\n", nvrtc().version);
  for (const std::string& flag : flags) key += flag + "\n";
  key += text;
  for (const KernelFile* file : included_files(text)) key += file->text;
  return known.get(key, [&] {
    std::string code = read_cached(key);
    if (code.empty()) {
      code = run_nvrtc(text, flags, target.ptx);
      write_cached(key, code);
    }
    return code;
  });
}

Function::Function(const std::string& text, std::string entry, std::vector<std::string> options)
    : text_(text), entry_(std::move(entry)), options_(std::move(options)), length_(text_.size()) {
  for (const KernelFile* file : included_files(text_)) {
    const std::string_view included = file->text;
    length_ += included.size();
    starts_early_ |= included.find("  begin_kernel();") != included.npos;
    counts_blocks_ |= included.find("bool is_last_block(") != included.npos;
  }
}

CUfunction Function::load(const Gpu& gpu, std::atomic<CUfunction>& loaded) {
  const std::string code = compile_text(text_, gpu, options_);
  make_current(gpu);
  CUmodule module = nullptr;
  CUfunction function = nullptr, other = nullptr;
  check(driver().cuModuleLoadData(&module, code.data()), "loading a kernel");
  check(driver().cuModuleGetFunction(&function, module, entry_.c_str()), "finding a kernel");
  if (loaded.compare_exchange_strong(other, function)) return function;
  driver().cuModuleUnload(module);  // another thread was faster
  return other;
}

std::shared_ptr<Function> make_function(const std::string& text, const std::string& entry,
                                        const std::vector<std::string>& options) {
  // Never emptied: a module stays loaded, and a function is its handle.
  static auto& known = *new std::map<std::string, std::shared_ptr<Function>>;
  std::string key = entry + "\n";
  for (const std::string& option : options) key += option + "\n";
  key += text;
  static std::mutex guard;
  const std::lock_guard lock(guard);
  auto& function = known[key];
  if (!function) function = std::make_shared<Function>(text, entry, options);
  return function;
}

void compile_together(const std::vector<std::shared_ptr<Function>>& functions, const Gpu& gpu) {
  auto longest_first = functions;  // longest first: a long text at the end would delay all others
  std::ranges::stable_sort(longest_first, std::ranges::greater{},
                           [](const auto& function) { return function->length(); });
  on_threads(longest_first.size(), [&](size_t i) {
    compile_text(longest_first[i]->text(), gpu, longest_first[i]->options());
  });
}

}  // namespace stoker::cuda
