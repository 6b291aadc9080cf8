#include "sums.h"

#include "core/half.h"

namespace stoker::mpi {
namespace {

// MPI has no 16-bit floats: they are sent as integers and added by these functions.
template <float (*widen)(uint16_t), uint16_t (*narrow)(float)>
void add_float16(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const uint16_t*>(in);
  auto* b = static_cast<uint16_t*>(inout);
  for (int i = 0; i < *count; ++i) b[i] = narrow(widen(a[i]) + widen(b[i]));
}

MPI_Op make(MPI_User_function* function) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(function, 1, &op);
  return op;
}

}  // namespace

Sum sum_of(DType dtype) {
  static const MPI_Op float16 = make(add_float16<float16_to_float, float_to_float16>),
                      bfloat16 = make(add_float16<bfloat16_to_float, float_to_bfloat16>);
  switch (dtype) {
    case DType::float32:
      return {MPI_FLOAT, MPI_SUM};
    case DType::float64:
      return {MPI_DOUBLE, MPI_SUM};
    case DType::float16:
      return {MPI_UINT16_T, float16};
    case DType::bfloat16:
      return {MPI_UINT16_T, bfloat16};
    case DType::int8:
      return {MPI_INT8_T, MPI_SUM};
    case DType::int32:
      return {MPI_INT32_T, MPI_SUM};
    case DType::int64:
      return {MPI_INT64_T, MPI_SUM};
    case DType::uint8:
      return {MPI_UINT8_T, MPI_SUM};
    case DType::boolean:  // true where it is on any rank
      return {MPI_UINT8_T, MPI_MAX};
  }
  return {MPI_FLOAT, MPI_SUM};
}

}  // namespace stoker::mpi
