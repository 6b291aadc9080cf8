#include "nn/layers/preprocessing/adapt.h"

#include <fmt/format.h>

#include <cstring>

#include "stoker/layers/preprocessing.h"
#include "stoker/progress_line.h"

namespace stoker::nn {
namespace {

Shape shape_of_all(const std::vector<Array>& parts) {
  Shape shape = parts[0].shape();
  for (size_t i = 1; i < parts.size(); ++i) {
    const Array& part = parts[i];
    if (part.dtype() != parts[0].dtype() || part.holds_strings() != parts[0].holds_strings() ||
        part.shape().rank() != shape.rank() || part.shape().drop_front() != shape.drop_front())
      throw InvalidArgument(fmt::format("adapt: element {} of the dataset is {}, the first is {}.",
                                        i, to_string(spec_of(part)), to_string(spec_of(parts[0]))),
                            "all batches need one type and shape, but for their rows.");
    shape[0] += part.length();
  }
  return shape;
}

Array joined_strings(const std::vector<Array>& parts, const Shape& shape) {
  std::vector<std::string> texts;
  for (const Array& part : parts)
    for (int64_t i = 0; i < part.size(); ++i) texts.emplace_back(part.text(i));
  return Array::strings(texts, shape);
}

}  // namespace

Array joined(const DataParts& parts) {
  std::vector<Array> all;
  while (auto part = parts()) all.push_back(std::move(*part));
  if (all.empty()) throw InvalidArgument("adapt: the dataset has no elements.");
  const Shape shape = shape_of_all(all);
  if (all[0].holds_strings()) return joined_strings(all, shape);
  Array result(all[0].dtype(), shape);
  std::byte* to = result.mutable_raw();
  for (const Array& part : all) {
    if (part.bytes() > 0) std::memcpy(to, part.raw(), part.bytes());
    to += part.bytes();
  }
  return result;
}

void adapt_over(Adaptable& layer, const Dataset& batches, const PartOf& part_of) {
  if (batches.cardinality() == INFINITE_CARDINALITY)
    throw InvalidArgument("adapt: the dataset has no end.", "put take(n) before it.");
  ProgressLine line("adapting to element", batches.cardinality());
  int64_t taken = 0;
  auto next = batches.begin();
  layer.adapt_to_parts([&]() -> std::optional<Array> {
    if (next == batches.end()) return std::nullopt;
    Array part = part_of(*next);
    ++next;
    line.show(++taken);
    return part;
  });
}

}  // namespace stoker::nn

namespace stoker::layers {
namespace {

nn::Adaptable& adaptable(const LayerRef& layer) {
  if (auto* found = dynamic_cast<nn::Adaptable*>(layer.ptr().get())) return *found;
  throw InvalidArgument(fmt::format("layer \"{}\" of class {} has nothing to adapt.", layer->name(),
                                    layer->class_name()));
}

void check_kind(const LayerRef& layer, const Array& data) {
  const bool wanted = adaptable(layer).adapts_to_strings();
  const auto kind = [](bool strings) { return strings ? "strings" : "numbers"; };
  if (data.holds_strings() != wanted)
    throw InvalidArgument(
        fmt::format("layer \"{}\" of class {} adapts to {}, but the array of shape {} holds {}.",
                    layer->name(), layer->class_name(), kind(wanted), to_string(data.shape()),
                    kind(!wanted)),
        wanted ? "convert it to strings first (numpy: x.astype('str'))."
               : "convert it to numbers first (numpy: x.astype('float32')).");
}

// The x of x, (x, y) or (x, y, sample_weight).
Array first_part(const LayerRef& layer, const Element& element) {
  const bool several = element.structure().is_tuple() && element.size() > 0;
  const Element x = several ? element[0] : element;
  if (x.arrays().size() != 1 || x.arrays()[0].shape().rank() == 0)
    throw InvalidArgument(
        fmt::format("adapt: layer \"{}\" takes batches of one array, but the elements are {}.",
                    layer->name(), to_string(spec_of(element))),
        "map the elements to that array, and end the dataset with batch.");
  check_kind(layer, x.arrays()[0]);
  return x.arrays()[0];
}

}  // namespace

void adapt(const LayerRef& layer, const Array& data) {
  check_kind(layer, data);
  adaptable(layer).adapt(data);
}

void adapt(const LayerRef& layer, const Dataset& batches) {
  nn::adapt_over(adaptable(layer), batches,
                 [&](const Element& element) { return first_part(layer, element); });
}

}  // namespace stoker::layers
