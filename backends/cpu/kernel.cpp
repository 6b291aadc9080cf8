#include "kernel.h"

namespace stoker::cpu {
namespace {

// STOKER_CPU_IMPLEMENTATION=reference uses only reference kernels, to find out whether a wrong
// number comes from an optimised one.
Implementations<Kernel>& registry() {
  static Implementations<Kernel> implementations("STOKER_CPU_IMPLEMENTATION");
  return implementations;
}

}  // namespace

RegisterKernel::RegisterKernel(const char* op, const char* implementation, Rank rank,
                               Planner planner, std::source_location place) {
  registry().add(op, implementation, rank, planner, place);
}

std::unique_ptr<Kernel> plan(const NodeView& node) { return registry().plan(node); }

std::vector<std::unique_ptr<Kernel>> plan_all(const NodeView& node) {
  return registry().plan_all(node);
}

}  // namespace stoker::cpu
