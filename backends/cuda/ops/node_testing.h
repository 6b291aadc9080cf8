#pragma once
#include "device/node_testing.h"
#include "kernel.h"

namespace stoker::cuda {

// A GPU to plan for on a machine without one: an A100 or an H100 by its capability, 80 or 90.
inline Gpu planned_gpu(int capability) {
  Gpu gpu;
  gpu.name = "none";
  gpu.capability = capability;
  gpu.multiprocessors = 132;
  gpu.has_clusters = capability >= 90;
  gpu.shared_memory = capability >= 90 ? 232448 : 166912;
  gpu.l2_bytes = 50 << 20;
  return gpu;
}

// A node whose kernels a test compiles, also on a machine without a GPU.
struct CompileCase {
  std::string name;
  TestedNode node;
};

std::vector<CompileCase>& compile_cases();

// `const AddCompileCase one("reduce_sum rows", {"reduce_sum", {…}, {…}}, attr, value, …);` in a
// *_test.cpp in the planner's folder.
struct AddCompileCase {
  template <class... Attrs>
  AddCompileCase(std::string name, TestedNode node, const Attrs&... attrs) {
    add_attrs(node, attrs...);
    compile_cases().push_back({std::move(name), std::move(node)});
  }

 private:
  static void add_attrs(TestedNode&) {}
  template <class V, class... More>
  static void add_attrs(TestedNode& node, const char* name, const V& value, const More&... more) {
    node.add(name, value);
    add_attrs(node, more...);
  }
};

}  // namespace stoker::cuda
