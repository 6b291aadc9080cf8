#pragma once
#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "block.h"
#include "image.h"

// The emulated driver's objects; its handles are pointers to them.
using EmulatedCall = std::function<CUresult()>;

struct CUgraphNode_st {
  EmulatedCall call;
  std::vector<CUgraphNode> after;  // earlier nodes of the same graph
};
struct CUgraph_st {
  int64_t number;  // no other graph of the process has it, as another may have the address later
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};
struct CUgraphExec_st {
  std::vector<EmulatedCall> calls;
};
struct CUstream_st {
  CUgraph recording = nullptr;
  std::vector<CUgraphNode> latest;  // the next node depends on these
};
struct CUevent_st {
  bool timed;
  std::atomic<int64_t> at{-1};  // time of recording on the emulator's clock; -1: never
};
struct CUctx_st {};
struct CUmod_st {
  stoker::emulator::LoadedImage image;
};
struct CUfunc_st {
  CUmodule module;
  const stoker_emulator::Kernel* kernel;
  int most_dynamic_shared = 48 * 1024;
};

namespace stoker::emulator {

// Keeps the reason for cuGetErrorString.
CUresult fail(CUresult status, std::string why);
const char* last_failure();

// A clock that advances by a microsecond with every launch and copy.
int64_t nanoseconds();
CUresult execute(const EmulatedCall& call);
// Runs the call, or captures it if the stream is capturing.
CUresult enqueue(CUstream stream, EmulatedCall call);
// An error if a stream is capturing on this thread.
CUresult unless_recording(const char* doing);
CUresult begin_recording(CUstream stream);
CUresult end_recording(CUstream stream, CUgraph* graph);
// A valid order of the graph that is far from the order of capture: a missing dependency should
// show.
std::vector<EmulatedCall> in_unlikely_order(const CUgraph_st& graph);

// Runs a launch after checking its arguments against the kernel's.
CUresult launch_kernel(const CUlaunchConfig& config, CUfunction function, void** arguments);

}  // namespace stoker::emulator
