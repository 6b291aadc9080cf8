#include "ops/infer.h"

namespace stoker::ops {
namespace {

// Casts every input to attribute `dtype`. Added by passes; no gradient.
const RegisterOp registered{
    {.name = "cast_many", .infer = [](Types in, const Attrs& attrs) {
       OutTypes out;
       for (const TensorType& each : in)
         out.push_back({static_cast<DType>(attrs.integer("dtype")), each.shape});
       return out;
     }}};

}  // namespace
}  // namespace stoker::ops
