#include "recording.h"

#include <algorithm>

namespace stoker::cuda {

Recording::Recording(const Gpu& gpu) : gpu_(gpu) {
  check(driver().cuStreamBeginCapture(gpu.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
        "recording a step");
  gpu.recording = true;
}

Recording::~Recording() {
  gpu_.recording = false;
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

void start_next_early(const Gpu& gpu) {
  CUstreamCaptureStatus status{};
  const CUgraphNode* found = nullptr;
  const CUgraphEdgeData* found_edges = nullptr;
  size_t count = 0;
  check(driver().cuStreamGetCaptureInfo_v3(gpu.stream, &status, nullptr, nullptr, &found,
                                           &found_edges, &count),
        "ordering a step");
  if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE || count == 0) return;
  std::vector<CUgraphNode> nodes(found, found + count);
  std::vector<CUgraphEdgeData> edges(count);
  for (size_t i = 0; i < count; ++i) {
    CUgraphNodeType type{};
    check(driver().cuGraphNodeGetType(nodes[i], &type), "ordering a step");
    if (type != CU_GRAPH_NODE_TYPE_KERNEL) continue;
    edges[i].from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    edges[i].type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  }
  check(driver().cuStreamUpdateCaptureDependencies_v2(gpu.stream, nodes.data(), edges.data(), count,
                                                      CU_STREAM_SET_CAPTURE_DEPENDENCIES),
        "ordering a step");
}

CUgraphExec Recording::finish() {
  CUgraph graph = nullptr;
  open_ = gpu_.recording = false;
  check(driver().cuStreamEndCapture(gpu_.stream, &graph), "recording a step");
  CUgraphExec ready = nullptr;
  const CUresult status = driver().cuGraphInstantiate(&ready, graph, 0);
  driver().cuGraphDestroy(graph);
  check(status, "capturing a step into a CUDA graph");
  return ready;
}

}  // namespace stoker::cuda
