#include "libraries/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "ranks/wait_limit.h"

namespace stoker::cuda {
namespace {

constexpr int oldest = 12040;  // required by the graph functions and bf16 conversions

std::vector<std::string> places_of(const std::string& name) {
  std::vector<std::string> places;
  if (const char* folders = std::getenv("STOKER_CUDA_LIBRARIES")) {
    std::istringstream list(folders);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty()) places.push_back(fmt::format("{}/{}", folder, name));
  }
  places.push_back(name);  // the system's search path
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(variable))
      places.push_back(fmt::format("{}/lib64/{}", folder, name));
  for (const char* folder : {"/usr/local/cuda/lib64", "/usr/local/cuda/lib"})
    places.push_back(fmt::format("{}/{}", folder, name));
  return places;
}

// The value of make(), or the same CudaError on every call.
template <class T>
struct Once {
  T value{};
  std::string failure;
  template <class F>
  explicit Once(F make) {
    try {
      value = make();
    } catch (const CudaError& error) {
      failure = error.what();
    }
  }
  const T& get() const {
    if (!failure.empty()) throw CudaError(failure);
    return value;
  }
};

std::string hidden_devices() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible ? fmt::format(" (CUDA_VISIBLE_DEVICES is \"{}\")", visible) : "";
}

void start(const Driver& d) {
  const CUresult status = d.cuInit(0);
  if (status == CUDA_ERROR_NO_DEVICE)
    throw CudaError(fmt::format("the NVIDIA driver sees no GPU{}.", hidden_devices()));
  if (status == CUDA_SUCCESS) return;
  const char* text = "unknown";
  d.cuGetErrorString(status, &text);
  throw CudaError(fmt::format("the NVIDIA driver does not start: {} (error {}).", text,
                              static_cast<int>(status)));
}

Driver uncounted;  // the driver's own functions behind the counting ones

CUresult count_alloc(CUdeviceptr* memory, size_t bytes) {
  ++driver_counters().allocations;
  return uncounted.cuMemAlloc(memory, bytes);
}
CUresult count_stream_wait(CUstream stream) {
  ++driver_counters().waits;
  const GpuWait wait;
  return uncounted.cuStreamSynchronize(stream);
}
CUresult wait_for_event(CUevent event) {
  const GpuWait wait;
  return uncounted.cuEventSynchronize(event);
}
CUresult count_launch(const CUlaunchConfig* config, CUfunction function, void** arguments,
                      void** extra) {
  ++driver_counters().launches;
  return uncounted.cuLaunchKernelEx(config, function, arguments, extra);
}
CUresult count_graph_launch(CUgraphExec graph, CUstream stream) {
  ++driver_counters().graph_launches;
  const GpuWait wait;  // if its queue is full
  return uncounted.cuGraphLaunch(graph, stream);
}

void count_calls(Driver& d) {
  uncounted = d;
  d.cuMemAlloc = count_alloc;
  d.cuStreamSynchronize = count_stream_wait;
  d.cuEventSynchronize = wait_for_event;
  d.cuLaunchKernelEx = count_launch;
  d.cuGraphLaunch = count_graph_launch;
}

Driver open_driver() {
  const Library library("the NVIDIA driver", {"libcuda.so.1"}, "");
  Driver d{};
  const auto load = [&library]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(library.symbol(name));
  };
  load(d.cuDriverGetVersion, "cuDriverGetVersion");  // an older one lacks some of the others
  d.cuDriverGetVersion(&d.version);
  if (d.version < oldest)
    throw CudaError(fmt::format("the NVIDIA driver supports CUDA {}, and {} or newer is needed.",
                                version_text(d.version), version_text(oldest)));
#define STOKER_LOAD_INTO_D(function) load(d.function, STOKER_NAME_OF(function));
  STOKER_DRIVER_FUNCTIONS(STOKER_LOAD_INTO_D)
#undef STOKER_LOAD_INTO_D
  load(d.cuEventElapsedTime, "cuEventElapsedTime");
  d.serves_libraries = library.has("cuGetExportTable");
  start(d);
  count_calls(d);
  return d;
}

// A driver runs machine code of its own major version and older. Without a driver, kernels can
// still be compiled.
std::vector<std::string> nvrtc_names() {
  int newest = 13;
  try {
    newest = driver().version / 1000;
  } catch (const CudaError&) {
  }
  std::vector<std::string> names;
  for (int major = newest; major >= 12; --major)
    names.push_back(fmt::format("libnvrtc.so.{}", major));
  return names;
}

Nvrtc open_nvrtc() {
  const Library library("NVRTC, CUDA's run-time compiler,", nvrtc_names());
  Nvrtc n{};
  const auto load = [&library]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(library.symbol(name));
  };
#define STOKER_LOAD_INTO_N(function) load(n.function, STOKER_NAME_OF(function));
  STOKER_NVRTC_FUNCTIONS(STOKER_LOAD_INTO_N)
#undef STOKER_LOAD_INTO_N
  int version_major = 0, version_minor = 0;
  n.nvrtcVersion(&version_major, &version_minor);
  n.version = version_major * 1000 + version_minor * 10;
  n.file = library.file();
  int count = 0;
  n.nvrtcGetNumSupportedArchs(&count);
  n.architectures.resize(static_cast<size_t>(count));
  n.nvrtcGetSupportedArchs(n.architectures.data());
  return n;
}

}  // namespace

Library::Library(const std::string& what, const std::vector<std::string>& names,
                 const std::string& advice) {
  std::string reasons;
  for (const std::string& name : names)
    for (const std::string& place : places_of(name)) {
      handle_ = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_) {
        file_ = place;
        return;
      }
      const std::string why = dlerror();
      std::error_code ignored;
      if (place == name || std::filesystem::exists(place, ignored))
        reasons += (reasons.empty() ? "" : "; ") + why;
    }
  throw CudaError(fmt::format("{} is missing: {}.{}", what, reasons, advice));
}

void* Library::symbol(const char* name) const {
  void* found = dlsym(handle_, name);
  if (!found) throw CudaError(fmt::format("{} is too old: it has no {}.", file_, name));
  return found;
}

bool Library::has(const char* name) const { return dlsym(handle_, name) != nullptr; }

DriverCounters& driver_counters() {
  static DriverCounters counters;
  return counters;
}

const Driver& driver() {
  static const Once<Driver> opened(open_driver);
  return opened.get();
}
const Nvrtc& nvrtc() {
  static const Once<Nvrtc> opened(open_nvrtc);
  return opened.get();
}

void check(CUresult status, const char* doing) {
  if (status == CUDA_SUCCESS) return;
  const char *name = "?", *text = "unknown";
  driver().cuGetErrorName(status, &name);
  driver().cuGetErrorString(status, &text);
  throw CudaError(fmt::format("{}: {} ({}).", doing, text, name));
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace stoker::cuda
