#include "graph/emit.h"
#include "ops/infer.h"

namespace stoker::ops {
namespace {

// Copies to other memory: for a state whose new value could not be computed in place.
const RegisterOp registered{
    {.name = "copy",
     .infer = [](Types in, const Attrs&) { return OutTypes{in[0]}; },
     .gradient = [](const Gradient& g) { return std::vector{g.output_grads[0]}; },
     .elementwise = true}};

}  // namespace
}  // namespace stoker::ops
