#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "control.h"
#include "libraries/library.h"
#include "memory.h"
#include "stream.h"

// libcuda.so.1 for an emulated GPU. Everything is synchronous, in the order of the calls.
using namespace stoker::emulator;

namespace {

constexpr int shared_memory = 227 * 1024;
CUctx_st the_context;
StokerEmulatorControl control{};

int setting(const char* variable, int otherwise) {
  const char* given = std::getenv(variable);
  return given ? std::atoi(given) : otherwise;
}
int capability() { return setting("STOKER_EMULATED_CAPABILITY", 90); }

}  // namespace

extern "C" {

StokerEmulatorControl* stoker_emulator_control() { return &control; }

// For the emulated NCCL, a library of its own.
CUresult stoker_emulator_enqueue(CUstream stream, EmulatedCall* call) {
  return enqueue(stream, std::move(*call));
}
CUresult stoker_emulator_fails(const char* why) { return fail(CUDA_ERROR_LAUNCH_FAILED, why); }
bool stoker_emulator_contains(const void* at, size_t bytes) { return contains(at, bytes); }

CUresult cuInit(unsigned int) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) {
  *version = setting("STOKER_EMULATED_DRIVER", 13000);
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult status, const char** text) {
  *text = status == CUDA_SUCCESS ? "no error" : last_failure();
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult status, const char** name) {
  *name = status == CUDA_SUCCESS               ? "CUDA_SUCCESS"
          : status == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
          : status == CUDA_ERROR_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE"
          : status == CUDA_ERROR_LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED"
                                               : "CUDA_ERROR_UNKNOWN";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int index) {
  *device = index;
  return index == 0 ? CUDA_SUCCESS : fail(CUDA_ERROR_INVALID_DEVICE, "there is one device");
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::strncpy(name, "emulated", static_cast<size_t>(length));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice) {
  std::strncpy(id, "0000:00:00.0", static_cast<size_t>(length));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return *value = capability() / 10, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return *value = capability() % 10, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return *value = 4, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return *value = shared_memory, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return *value = 48 * 1024, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return *value = 50 << 20, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return *value = 1024, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return *value = 32, CUDA_SUCCESS;
    default:
      return *value = 0, CUDA_SUCCESS;
  }
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = &the_context;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize() { return unless_recording("cuCtxSynchronize"); }

CUresult cuStreamCreate(CUstream* stream, unsigned int) {
  *stream = new CUstream_st;
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream) { return unless_recording("cuStreamSynchronize"); }
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  return begin_recording(stream);
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return end_recording(stream, graph);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t*,
                                   CUgraph*, const CUgraphNode** nodes, const CUgraphEdgeData**,
                                   size_t* count) {
  *status = stream->recording ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  *nodes = stream->latest.data();
  *count = stream->latest.size();
  return CUDA_SUCCESS;
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* nodes,
                                              const CUgraphEdgeData*, size_t count, unsigned int) {
  if (!stream->recording) return fail(CUDA_ERROR_ILLEGAL_STATE, "the stream is not recording");
  if (std::set(nodes, nodes + count).size() != count)
    return fail(CUDA_ERROR_INVALID_VALUE, "a node is named twice");
  stream->latest.assign(nodes, nodes + count);
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  *event = new CUevent_st{(flags & CU_EVENT_DISABLE_TIMING) == 0};
  return CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned int) {
  return unless_recording("cuStreamWaitEvent");
}
CUresult cuEventRecord(CUevent event, CUstream) {
  event->at = nanoseconds();
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent) {
  if (control.on_wait) control.on_wait();
  return unless_recording("cuEventSynchronize");
}
CUresult cuEventQuery(CUevent) {
  if (control.events_pending) return CUDA_ERROR_NOT_READY;
  return unless_recording("cuEventQuery");
}
#undef cuEventElapsedTime  // drivers also have the unversioned one
CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  if (!from->timed || !to->timed || from->at < 0 || to->at < 0)
    return fail(CUDA_ERROR_INVALID_HANDLE, "an event without a time");
  *milliseconds = static_cast<float>(to->at - from->at) * 1e-6f;
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) {
  delete event;
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  if (const CUresult status = unless_recording("cuModuleLoadData")) return status;
  std::string why;
  const LoadedImage loaded = load_image(image, why);
  if (!loaded.module) return fail(CUDA_ERROR_INVALID_IMAGE, why);
  *module = new CUmod_st{loaded};
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const auto& m = *module->image.module;
  for (int i = 0; i < m.num_kernels; ++i)
    if (std::strcmp(m.kernels[i].name, name) == 0) {
      *function = new CUfunc_st{module, &m.kernels[i]};
      return CUDA_SUCCESS;
    }
  return fail(CUDA_ERROR_NOT_FOUND, fmt::format("there is no kernel {}", name));
}
CUresult cuModuleUnload(CUmodule module) {
  unload_image(module->image);
  delete module;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value) {
  if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS;
  if (value > shared_memory)
    return fail(CUDA_ERROR_INVALID_VALUE,
                fmt::format("{} bytes of shared memory, {} are there", value, shared_memory));
  function->most_dynamic_shared = value;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  *value = 0;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                          void**) {
  return launch_kernel(*config, function, arguments);
}
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction, const CUlaunchConfig*) {
  *clusters = 0;
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(CUgraphExec* ready, CUgraph graph, unsigned long long) {
  *ready = new CUgraphExec_st{in_unlikely_order(*graph)};
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream) {
  for (const EmulatedCall& call : graph->calls)
    if (const CUresult status = execute(call)) return status;
  return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec graph) {
  delete graph;
  return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetType(CUgraphNode, CUgraphNodeType* type) {
  *type = CU_GRAPH_NODE_TYPE_KERNEL;  // sufficient for the backend
  return CUDA_SUCCESS;
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode*, size_t* count) {
  *count = graph->nodes.size();
  return CUDA_SUCCESS;
}

}  // extern "C"

// Linking fails if the backend uses a function that is not emulated.
#define EMULATOR_HAS(function) reinterpret_cast<const void*>(&::function),
extern const void* const emulated_functions[];
const void* const emulated_functions[] = {STOKER_DRIVER_FUNCTIONS(EMULATOR_HAS)};
