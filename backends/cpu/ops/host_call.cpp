#include "core/host_call.h"

#include "core/flush_denormals.h"
#include "kernel.h"

namespace stoker::cpu {
namespace {

std::unique_ptr<Kernel> plan_host_call(const NodeView& node, std::string&) {
  auto* call = reinterpret_cast<StokerHostCall*>(node.integer("function"));
  return make_kernel([call](void* const* arguments, void*) {
    const CallersDenormals as_usual;  // a user function, not a kernel
    call->run(call, arguments);
  });
}

const RegisterKernel host_call{"host_call", "function", reference, plan_host_call};

}  // namespace
}  // namespace stoker::cpu
