#include "compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "core/on_threads.h"
#include "disk_cache.h"
#include "memo.h"
#include "prelude.h"

namespace stoker::cuda {
namespace {

// What texts are compiled to: a GPU's machine code or, if it is newer than NVRTC, PTX of the newest
// that NVRTC knows, which the driver compiles.
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
  // Hopper's own instructions (clusters' bulk copies, wgmma) are in the "a" variant of its code.
  return {fmt::format("sm_{}{}", capability, capability == 90 ? "a" : ""), false};
}

// The text with begin_kernel() as the first statement of each kernel.
std::string with_beginnings(const std::string& text) {
  const std::string kernel = "extern \"C\" __global__";
  std::string out;
  size_t copied = 0;
  for (size_t at = text.find(kernel); at != std::string::npos; at = text.find(kernel, copied)) {
    const bool is_line = at == 0 || text[at - 1] == '\n';  // not a macro's, whose body is elsewhere
    const size_t body = is_line ? text.find('{', at) + 1 : at + kernel.size();
    out += text.substr(copied, body - copied);
    if (is_line) out += " begin_kernel();";
    copied = body;
  }
  return out + text.substr(copied);
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

std::string run_nvrtc(const std::string& text, const std::vector<std::string>& options, bool ptx) {
  const Nvrtc& n = nvrtc();
  nvrtcProgram program = nullptr;
  n.nvrtcCreateProgram(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr);
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

std::string compile_text(const std::string& text, int capability,
                         const std::vector<std::string>& options) {
  static auto& known = *new Memo<std::string>;  // a text that is being compiled is waited for
  const Target target = target_for(capability);
  std::vector<std::string> flags = {"--gpu-architecture=" + target.architecture, "--std=c++17",
                                    "--device-as-default-execution-space"};
  flags.insert(flags.end(), options.begin(), options.end());
  const std::string whole = std::string(prelude) + text;
  std::string key = fmt::format("{}\n", nvrtc().version);
  for (const std::string& flag : flags) key += flag + "\n";
  key += whole;
  return known.get(key, [&] {
    std::string code = read_cached(key);
    if (code.empty()) {
      code = run_nvrtc(whole, flags, target.ptx);
      write_cached(key, code);
    }
    return code;
  });
}

Function::Function(const std::string& text, std::string entry, std::vector<std::string> options)
    : text_(with_beginnings(text)),
      entry_(std::move(entry)),
      options_(std::move(options)),
      starts_early_(text_ != text) {}

CUfunction Function::load(const Gpu& gpu, std::atomic<CUfunction>& loaded) {
  const std::string code = compile_text(text_, gpu.capability, options_);
  make_current(gpu);
  CUmodule module = nullptr;
  CUfunction function = nullptr, other = nullptr;
  check(driver().cuModuleLoadData(&module, code.data()), "loading a kernel");
  check(driver().cuModuleGetFunction(&function, module, entry_.c_str()), "finding a kernel");
  if (loaded.compare_exchange_strong(other, function)) return function;
  driver().cuModuleUnload(module);  // another thread was quicker
  return other;
}

bool Function::counts_blocks() const { return text_.find("is_last_block") != std::string::npos; }

std::shared_ptr<Function> make_function(const std::string& text, const std::string& entry,
                                        const std::vector<std::string>& options) {
  // Never emptied: a loaded module stays loaded, and a function is its handle.
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
  auto longest_first = functions;  // a long text at the end would be waited for by all others
  std::ranges::stable_sort(longest_first, std::ranges::greater{},
                           [](const auto& function) { return function->text().size(); });
  on_threads(longest_first.size(), [&](size_t i) {
    compile_text(longest_first[i]->text(), gpu.capability, longest_first[i]->options());
  });
}

}  // namespace stoker::cuda
