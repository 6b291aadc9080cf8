#include "graph/emit.h"
#include "ops/infer.h"

namespace stoker::ops {
namespace {

// The same values in another place: how a state takes a value that could not be computed there.
const RegisterOp registered{
    {.name = "copy",
     .infer = [](Types in, const Attrs&) { return OutTypes{in[0]}; },
     .gradient = [](const Gradient& g) { return std::vector{g.output_grads[0]}; },
     .elementwise = true}};

}  // namespace
}  // namespace stoker::ops
