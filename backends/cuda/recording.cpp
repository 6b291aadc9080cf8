#include "recording.h"

#include <algorithm>

namespace stoker::cuda {

Recording::Recording(const Gpu& gpu) : gpu_(gpu) {
  check(driver().cuStreamBeginCapture(gpu.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
        "recording a step");
}

Recording::~Recording() {
  if (!open_) return;
  CUgraph graph = nullptr;
  driver().cuStreamEndCapture(gpu_.stream, &graph);
  if (graph) driver().cuGraphDestroy(graph);
}

void Recording::wait_for(Nodes nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  check(driver().cuStreamUpdateCaptureDependencies_v2(
            gpu_.stream, nodes.data(), nullptr, nodes.size(), CU_STREAM_SET_CAPTURE_DEPENDENCIES),
        "ordering a step");
}

Recording::Nodes Recording::latest() const {
  CUstreamCaptureStatus status{};
  const CUgraphNode* nodes = nullptr;
  size_t count = 0;
  check(driver().cuStreamGetCaptureInfo_v3(gpu_.stream, &status, nullptr, nullptr, &nodes, nullptr,
                                           &count),
        "ordering a step");
  return {nodes, nodes + count};
}

CUgraphExec Recording::finish() {
  CUgraph graph = nullptr;
  open_ = false;
  check(driver().cuStreamEndCapture(gpu_.stream, &graph), "recording a step");
  CUgraphExec ready = nullptr;
  const CUresult status = driver().cuGraphInstantiate(&ready, graph, 0);
  driver().cuGraphDestroy(graph);
  check(status, "making a graph of a step");
  return ready;
}

}  // namespace stoker::cuda
