#include "trainer/kernel_text.h"

#include "kernel_source.h"

namespace stoker::cuda::trainer {
namespace {

int activation_number(const std::string& name) {
  return name == "relu" ? 1 : name == "sigmoid" ? 2 : name == "tanh" ? 3 : 0;
}

int64_t loss_number(const std::string& name) {
  return name == "sparse_categorical_crossentropy" ? 0
         : name == "categorical_crossentropy"      ? 1
         : name == "binary_crossentropy"           ? 2
                                                   : 3;
}

// A list by layer from 0, the input, to the last one. Of ints: 64-bit indices would be slower.
template <class T = int, class F>
std::vector<T> by_layer(const StackSpec& spec, F value) {
  std::vector<T> list;
  for (size_t l = 0; l <= spec.layers.size(); ++l) list.push_back(static_cast<T>(value(l)));
  return list;
}

void add_split(KernelSource& c, const StackSpec& spec, const StackLayout& at) {
  c.constant("CLUSTER", spec.cluster);
  c.constant("K_SPLITS", at.k_splits);
  c.constant("K_ROWS", at.k_rows);
  c.constant("UNITS", at.units);
  c.constant("UNIT_WARPS", at.unit_warps);
  c.constant("K_GROUPS", at.k_groups);
  c.constant("UNIT_TILES", at.unit_tiles);
  c.constant("K_TILES", at.k_tiles);
  c.constant("COMPUTE_WARPS", compute_warps);
  c.constant("COMPUTE", compute_warps * 32);
  c.constant("HELPERS", helper_warps * 32);
  c.constant("BATCH", spec.batch);
  c.constant("SUB", at.sub_batch);
  c.constant("SUBS", at.sub_batches);
  c.constant("OWN", at.own);
  c.constant("OWNERS", at.owners);
  c.constant("ROWS", at.rows);
  c.constant("X_STRIDE", at.x_stride);
  c.constant("LOCAL_STRIDE", at.local_stride);
  c.constant("DELTA_STRIDE", at.delta_stride);
  c.constant("MOMENTS_IN_REGISTERS", at.moments_in_registers);
  c.constant("CHECKED", spec.checked);
  c.constant("SHARED_BYTES", at.shared_bytes);
}

void add_layers(KernelSource& c, const StackSpec& spec, const StackLayout& at) {
  const auto layer = [&](size_t l) -> const DenseSpec& { return spec.layers[l - 1]; };
  c.constant("LAYERS", spec.layers.size());
  c.list("WIDTH", by_layer(spec, [&](size_t l) { return l ? layer(l).units : spec.inputs; }));
  c.list("ACTIVATION",
         by_layer(spec, [&](size_t l) { return l ? activation_number(layer(l).activation) : 0; }));
  c.list("BIAS", by_layer(spec, [&](size_t l) { return l && layer(l).use_bias; }));
  c.list("DROPOUT", by_layer<float>(spec, [&](size_t l) { return l ? layer(l).dropout : 0; }));
  c.list("SEED", by_layer<uint64_t>(spec, [&](size_t l) { return l ? layer(l).seed : 0; }));
  c.list("OWN_ROWS", by_layer(spec, [&](size_t l) { return at.own_rows[l]; }));
  c.list("W_STRIDE", by_layer(spec, [&](size_t l) { return at.weight_stride[l]; }));
  c.list("PADDED", by_layer(spec, [&](size_t l) { return at.padded_units[l]; }));
}

void add_offsets(KernelSource& c, const StackSpec& spec, const StackLayout& at) {
  for (const char* name : {"barriers", "metrics", "sums", "alpha", "calls", "index", "labels", "x",
                           "local", "part_out", "part", "delta_in"})
    c.constant(fmt::format("AT_{}", name).c_str(), at.offsets.at(name));
  for (const char* name : {"a", "d", "act_in", "d_in", "w", "m", "v", "g", "b", "bm", "bv", "bg"})
    c.list(fmt::format("AT_{}", name).c_str(), by_layer(spec, [&](size_t l) {
             const auto found = at.offsets.find(name + std::to_string(l));
             return found == at.offsets.end() ? 0 : found->second;
           }));
}

void add_training(KernelSource& c, const StackSpec& spec) {
  const bool adam = spec.optimizer == "adam";
  c.constant("INPUT_SCALE", static_cast<float>(spec.input_scale));
  c.constant("SCALED", spec.input_scale != 1);
  c.constant("GATHERED", spec.gathered);
  c.constant("LOSS", loss_number(spec.loss));
  c.constant("LOSS_SCALE", static_cast<float>(spec.loss_scale));
  c.constant("ADAM", adam);
  c.constant("MOMENTS", adam ? 2 : spec.momentum != 0 ? 1 : 0);
  c.constant("BETA_1", static_cast<float>(spec.beta_1));
  c.constant("BETA_2", static_cast<float>(spec.beta_2));
  c.constant("ONE_LESS_BETA_1", static_cast<float>(1 - spec.beta_1));
  c.constant("ONE_LESS_BETA_2", static_cast<float>(1 - spec.beta_2));
  c.constant("EPSILON", static_cast<float>(spec.epsilon));
  c.constant("MOMENTUM", static_cast<float>(spec.momentum));
  c.constant("NESTEROV", spec.nesterov);
  c.constant("LOSS_METRIC", spec.loss_metric);
  c.constant("ACCURACY_METRIC", spec.accuracy_metric);
}

}  // namespace

std::string kernel_text(const StackSpec& spec, const StackLayout& layout) {
  KernelSource source("trainer/train_dense_stack.cuh");
  source.type("Input", parse_dtype(spec.input_type)).type("Label", parse_dtype(spec.label_type));
  source.constant("VECTOR", spec.inputs % 4 == 0 ? 4 : 1);
  add_split(source, spec, layout);
  add_layers(source, spec, layout);
  add_offsets(source, spec, layout);
  add_training(source, spec);
  return source;
}

}  // namespace stoker::cuda::trainer
