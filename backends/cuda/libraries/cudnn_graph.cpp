#include "libraries/cudnn_graph.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "disk_cache.h"
#include "memo.h"
#include "ops/timing.h"

namespace stoker::cuda {
namespace {

using Parts = std::deque<CudnnDescriptor>;

constexpr int64_t x_id = 1, kernel_id = 2, y_id = 3;
constexpr int64_t alignment = 16;
constexpr int64_t most_workspace = int64_t{1} << 30;
constexpr size_t most_tried = 5;

cudnnDataType_t type_of(DType dtype) {
  if (dtype == DType::float16) return CUDNN_DATA_HALF;
  return dtype == DType::bfloat16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

CudnnDescriptor tensor(int64_t id, DType dtype, const std::array<int64_t, 4>& dims) {
  CudnnDescriptor made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
  made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type_of(dtype));
  made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment);
  made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, {dims[0], dims[1], dims[2], dims[3]});
  made.set(CUDNN_ATTR_TENSOR_STRIDES, {dims[1] * dims[2] * dims[3], 1, dims[1] * dims[3], dims[1]});
  made.finalize("describing a tensor to cuDNN");
  return made;
}

CudnnDescriptor windows(const CudnnConvolutionSpec& spec) {
  CudnnDescriptor made(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  made.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  made.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  made.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64_t{2});
  made.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, spec.strides);
  made.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, spec.dilation);
  made.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, spec.before);
  made.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, spec.after);
  made.finalize("describing a convolution to cuDNN");
  return made;
}

// cuDNN's names of an operation and its attributes, one set per direction.
struct Names {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t windows, x, kernel, y, alpha, beta;
};
Names names_of(CudnnConvolution kind) {
  if (kind == CudnnConvolution::forward)
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
  if (kind == CudnnConvolution::input_grad)
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
  return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
}

const CudnnDescriptor& keep(Parts& parts, CudnnDescriptor made) {
  return parts.emplace_back(std::move(made));
}

CudnnDescriptor operation(Parts& parts, const CudnnConvolutionSpec& spec) {
  const Names names = names_of(spec.kind);
  CudnnDescriptor made(names.operation);
  made.set(names.windows, keep(parts, windows(spec)));
  made.set(names.x, keep(parts, tensor(x_id, spec.dtype, spec.x)));
  made.set(names.kernel, keep(parts, tensor(kernel_id, spec.dtype, spec.kernel)));
  made.set(names.y, keep(parts, tensor(y_id, spec.dtype, spec.y)));
  made.set(names.alpha, CUDNN_TYPE_FLOAT, 1.f);
  made.set(names.beta, CUDNN_TYPE_FLOAT, 0.f);
  made.finalize("describing an operation to cuDNN");
  return made;
}

CudnnDescriptor graph_of(Parts& parts, cudnnHandle_t handle, const CudnnConvolutionSpec& spec) {
  CudnnDescriptor made(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  made.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle);
  made.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, keep(parts, operation(parts, spec)));
  made.finalize("creating a cuDNN graph");
  return made;
}

// Engine configurations for the graph, most promising first.
std::vector<CudnnDescriptor> configurations(const CudnnDescriptor& graph,
                                            cudnnBackendHeurMode_t mode) {
  CudnnDescriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
  if (!heuristic.try_to_finalize()) return {};
  const Cudnn& lib = cudnn();
  int64_t count = 0;
  check(lib.cudnnBackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                     CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr),
        "counting cuDNN's engines");
  std::vector<CudnnDescriptor> found;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (int64_t i = 0; i < count; ++i)
    handles.push_back(found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).get());
  int64_t given = 0;
  check(lib.cudnnBackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                     CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &given, handles.data()),
        "querying cuDNN's engines");
  while (static_cast<int64_t>(found.size()) > given) found.pop_back();
  return found;
}

std::vector<cudnnBackendNumericalNote_t> notes_of(const CudnnDescriptor& configuration) {
  const CudnnDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t handle = engine.get();
  int64_t count = 0;
  check(cudnn().cudnnBackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                                         CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &handle),
        "getting a cuDNN engine");
  std::vector<cudnnBackendNumericalNote_t> notes(CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  check(cudnn().cudnnBackendGetAttribute(handle, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                         CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT,
                                         &count, notes.data()),
        "querying a cuDNN engine");
  notes.resize(static_cast<size_t>(count));
  return notes;
}

// Float accumulation without other rounding than TF32, if enabled; no Winograd or FFT.
bool is_allowed(cudnnBackendNumericalNote_t note, DType dtype) {
  switch (note) {
    case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
      return dtype != DType::float32 || settings().tf32;
    case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
      return !settings().deterministic;
    case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
    case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
    case CUDNN_NUMERICAL_NOTE_FFT:
    case CUDNN_NUMERICAL_NOTE_WINOGRAD:
      return false;
    default:
      return true;
  }
}

bool is_allowed(const CudnnDescriptor& configuration, DType dtype) {
  const auto notes = notes_of(configuration);
  return std::all_of(notes.begin(), notes.end(),
                     [&](auto note) { return is_allowed(note, dtype); });
}

int64_t workspace_of(const CudnnDescriptor& plan) {
  int64_t bytes = 0, count = 0;
  check(cudnn().cudnnBackendGetAttribute(plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                         CUDNN_TYPE_INT64, 1, &count, &bytes),
        "querying the workspace of a cuDNN plan");
  return bytes;
}

int64_t size_of_dims(const std::array<int64_t, 4>& dims) {
  return dims[0] * dims[1] * dims[2] * dims[3];
}

// Planning must not take seconds, as it would for the largest batch that fits.
bool is_too_much_to_try(const CudnnConvolutionSpec& spec) {
  constexpr double most_flops = 4e11, most_bytes = 4e9;
  const double bytes = static_cast<double>(size_of_dims(spec.x) + size_of_dims(spec.y)) *
                       static_cast<double>(size_of(spec.dtype));
  const double flops = 2 * static_cast<double>(size_of_dims(spec.y)) *
                       static_cast<double>(size_of_dims(spec.kernel) / spec.kernel[0]);
  return flops > most_flops || bytes > most_bytes;
}

struct Candidate {
  CudnnDescriptor configuration, plan;
};

// Most promising first; more than one only if benchmarking is worthwhile.
std::vector<Candidate> candidates(const CudnnDescriptor& graph, cudnnHandle_t handle,
                                  const CudnnConvolutionSpec& spec) {
  const size_t most = chooses_by_time() && !is_too_much_to_try(spec) ? most_tried : 1;
  std::vector<Candidate> found;
  for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    if (!found.empty()) break;
    for (CudnnDescriptor& configuration : configurations(graph, mode)) {
      if (found.size() == most) break;
      if (!is_allowed(configuration, spec.dtype)) continue;
      CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle);
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
      if (!plan.try_to_finalize() || workspace_of(plan) > most_workspace) continue;
      found.push_back({std::move(configuration), std::move(plan)});
    }
  }
  if (found.empty()) throw CudaError("cuDNN has no engine for this shape under these settings");
  return found;
}

cudnnStatus_t execute(const Gpu& gpu, const CudnnDescriptor& plan, void* const (&pointers)[3],
                      void* workspace) {
  CudnnDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, {x_id, kernel_id, y_id});
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, pointers);
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
  pack.finalize("setting the arguments of a cuDNN plan");
  return cudnn().cudnnBackendExecute(cudnn_handle(gpu), plan.get(), pack.get());
}

// The index of the fastest, benchmarked on temporary memory; the first if there is none.
size_t fastest(const std::vector<Candidate>& all, const Gpu& gpu,
               const CudnnConvolutionSpec& spec) {
  if (all.size() == 1) return 0;
  const auto bytes_of = [&](const std::array<int64_t, 4>& dims) {
    return static_cast<uint64_t>(size_of_dims(dims)) * size_of(spec.dtype);
  };
  int64_t workspace = 0;
  for (const Candidate& one : all) workspace = std::max(workspace, workspace_of(one.plan));
  const std::array sizes{bytes_of(spec.x), bytes_of(spec.kernel), bytes_of(spec.y),
                         static_cast<uint64_t>(workspace)};
  uint64_t needed = 0;
  for (const uint64_t bytes : sizes) needed += Scratch::rounded(bytes);
  Scratch scratch(gpu, needed);
  if (!scratch) return 0;
  void* pointers[3];
  for (size_t i = 0; i < 3; ++i) pointers[i] = scratch.take(sizes[i]);
  void* const room = scratch.take(sizes[3]);
  size_t best = 0;
  double best_time = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto runs = [&] {
      return execute(gpu, all[i].plan, pointers, room) == CUDNN_STATUS_SUCCESS;
    };
    if (!runs()) continue;  // the first run loads its kernels
    Stopwatch watch(gpu);
    watch.start();
    for (int repeat = 0; repeat < 3; ++repeat) runs();
    const double time = watch.microseconds();
    if (best_time == 0 || time < best_time) best = i, best_time = time;
  }
  return best;
}

CudnnDescriptor best_plan(Parts& parts, const Gpu& gpu, const CudnnConvolutionSpec& spec) {
  make_current(gpu);
  const CudnnPlanningHandle handle(gpu);
  const CudnnDescriptor& graph = keep(parts, graph_of(parts, handle.get(), spec));
  std::vector<Candidate> all = candidates(graph, handle.get(), spec);
  Candidate& best = all[fastest(all, gpu, spec)];
  keep(parts, std::move(best.configuration));
  return std::move(best.plan);
}

// A finished plan as text, from which cuDNN recreates it without searching. "": not possible.
std::string text_of(const CudnnDescriptor& plan) {
  int64_t count = 0;
  const auto get = [&](std::string& into) {
    return cudnn().cudnnBackendGetAttribute(
               plan.get(), CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
               static_cast<int64_t>(into.size()), &count, into.data()) == CUDNN_STATUS_SUCCESS;
  };
  std::string text;
  if (!get(text)) return "";
  text.resize(static_cast<size_t>(count));
  return get(text) ? text : "";
}

std::optional<CudnnDescriptor> plan_of_text(const Gpu& gpu, const std::string& text) {
  if (text.empty()) return {};
  make_current(gpu);
  const CudnnPlanningHandle handle(gpu);
  CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle.get());
  const auto length = static_cast<int64_t>(text.size());
  if (cudnn().cudnnBackendSetAttribute(plan.get(), CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                       CUDNN_TYPE_CHAR, length,
                                       text.data()) != CUDNN_STATUS_SUCCESS ||
      !plan.try_to_finalize())
    return {};
  return plan;
}

// The plan found by an earlier run, or the best one now.
CudnnDescriptor known_or_best_plan(Parts& parts, const Gpu& gpu, const CudnnConvolutionSpec& spec,
                                   const std::string& key) {
  const std::string kept = choice_key(gpu, "cuDNN", cudnn().cudnnGetVersion(), key);
  if (auto known = plan_of_text(gpu, read_cached(kept))) return std::move(*known);
  CudnnDescriptor plan = best_plan(parts, gpu, spec);
  if (const std::string text = text_of(plan); !text.empty()) write_cached(kept, text);
  return plan;
}

}  // namespace

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type) {
  check(cudnn().cudnnBackendCreateDescriptor(type, &handle_), "creating a cuDNN descriptor");
}
CudnnDescriptor::~CudnnDescriptor() {
  if (handle_) cudnn().cudnnBackendDestroyDescriptor(handle_);
}
void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                          int64_t count, const void* values) {
  check(cudnn().cudnnBackendSetAttribute(handle_, name, type, count, values),
        "setting an attribute of a cuDNN descriptor");
}
void CudnnDescriptor::finalize(const char* doing) {
  check(cudnn().cudnnBackendFinalize(handle_), doing);
}
bool CudnnDescriptor::try_to_finalize() {
  return cudnn().cudnnBackendFinalize(handle_) == CUDNN_STATUS_SUCCESS;
}

CudnnPlan::CudnnPlan(const Gpu& gpu, const CudnnConvolutionSpec& spec, const std::string& key)
    : plan_(known_or_best_plan(parts_, gpu, spec, key)),
      workspace_(static_cast<uint64_t>(workspace_of(plan_))) {}

void CudnnPlan::run(const Gpu& gpu, void* x, void* kernel, void* y, void* workspace) const {
  void* const pointers[] = {x, kernel, y};
  check(execute(gpu, plan_, pointers, workspace), "running a cuDNN convolution");
}

std::shared_ptr<const CudnnPlan> cudnn_plan(const Gpu& gpu, const CudnnConvolutionSpec& spec) {
  static auto& known = *new Memo<std::shared_ptr<const CudnnPlan>>;
  const std::string key = fmt::format("{} {} {} {} {} {} {} {} {}", static_cast<int>(spec.kind),
                                      name_of(spec.dtype), spec.x, spec.kernel, spec.y,
                                      spec.strides, spec.dilation, spec.before, spec.after);
  const std::string now = fmt::format("{} {:d} {:d} {}", gpu.index, settings().tf32.load(),
                                      settings().deterministic.load(), key);
  return known.get(now, [&] { return std::make_shared<const CudnnPlan>(gpu, spec, key); });
}

}  // namespace stoker::cuda
