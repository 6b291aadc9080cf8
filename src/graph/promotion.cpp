#include "graph/promotion.h"

#include <algorithm>

#include "graph/emit.h"

namespace stoker::graph {
namespace {

bool is_unsigned(DType dtype) { return dtype == DType::uint8; }

DType wider(DType a, DType b) { return size_of(a) >= size_of(b) ? a : b; }

DType integer_for(DType a, DType b) {
  if (is_unsigned(a) == is_unsigned(b)) return wider(a, b);
  const DType with_sign = is_unsigned(a) ? b : a, without = is_unsigned(a) ? a : b;
  if (size_of(with_sign) > size_of(without)) return with_sign;
  return size_of(without) < size_of(DType::int32) ? DType::int32 : DType::int64;
}

DType float_for(DType a, DType b) {
  if (is_half(a) && is_half(b)) return DType::float32;  // float16 and bfloat16
  return wider(a, b);
}

template <class Rule>
DTypes each(Types in, Rule&& rule) {
  DTypes wanted;
  for (const TensorType& type : in) wanted.push_back(rule(type.dtype));
  return wanted;
}

DType one_for(Types in) {
  DType dtype = in[0].dtype;
  for (const TensorType& type : in) dtype = result_type(dtype, type.dtype);
  return dtype;
}

}  // namespace

DType result_type(DType a, DType b) {
  if (a == b) return a;
  if (is_floating(a) != is_floating(b)) return is_floating(a) ? a : b;
  if (is_floating(a)) return float_for(a, b);
  if (a == DType::boolean || b == DType::boolean) return a == DType::boolean ? b : a;
  return integer_for(a, b);
}

DType total_type(DType dtype) {
  return is_floating(dtype) || size_of(dtype) >= size_of(DType::int32) ? dtype : DType::int32;
}

DType float_type(DType dtype) { return is_floating(dtype) ? dtype : DType::float32; }

DTypes to_one(Types in) { return in.empty() ? DTypes{} : DTypes(in.size(), one_for(in)); }
DTypes to_one_float(Types in) {
  return in.empty() ? DTypes{} : DTypes(in.size(), float_type(one_for(in)));
}
DTypes to_floats(Types in) { return each(in, float_type); }
DTypes to_bools(Types in) { return DTypes(in.size(), DType::boolean); }
DTypes to_numbers(Types in) {
  return each(in, [](DType d) { return d == DType::boolean ? DType::int32 : d; });
}
DTypes to_totals(Types in) { return each(in, total_type); }
DTypes to_one_behind(Types in) {
  DTypes wanted = to_one(in.subspan(1));
  wanted.insert(wanted.begin(), DType::boolean);
  return wanted;
}

std::vector<Tensor> promoted(const Op& op, const std::vector<Tensor>& inputs) {
  std::vector<TensorType> types;
  for (const Tensor& input : inputs) types.push_back(input.type());
  std::vector<Tensor> cast = inputs;
  const DTypes wanted = op.promote(types);
  for (size_t i = 0; i < cast.size(); ++i)
    if (types[i].dtype != wanted[i])
      cast[i] = emit1("cast", {inputs[i]}, {{"dtype", static_cast<int64_t>(wanted[i])}});
  return cast;
}

}  // namespace stoker::graph
