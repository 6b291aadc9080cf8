#include "data/parts.h"

namespace stoker::data {

Opening of_part(const Opening& opening, size_t part) {
  Opening inner = opening;
  inner.part = (opening.part + static_cast<uint64_t>(opening.stage) + 1) * 0x9E3779B97F4A7C15u +
               uint64_t{part} * 0xC2B2AE3D27D4EB4Fu;
  return inner;
}

Opening behind(const Opening& opening, size_t sources) {
  return sources == 0 ? opening : of_part(opening, sources);
}

size_t sources_of(const Stage& stage) {
  const auto inputs = stage.inputs();
  size_t sources = inputs.empty() ? 1 : 0;
  for (const Stage* input : inputs) sources += sources_of(*input);
  return sources;
}

// SplitMix64's function. A sum would be the same for dataset i in dataset j and for j in i.
uint64_t seed_of_inner(uint64_t seed, int64_t number) {
  uint64_t mixed = seed + (static_cast<uint64_t>(number) + 1) * 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

}  // namespace stoker::data
