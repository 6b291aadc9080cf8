#include "trainer/kernel_text.h"

#include <cinttypes>
#include <cstdio>

#include "kernel_source.h"

namespace stoker::cuda::trainer {
namespace {

class Constants {
 public:
  void integer(const std::string& name, int64_t value) {
    text_ += "constexpr int " + name + " = " + std::to_string(value) + ";\n";
  }
  void number(const std::string& name, double value) {
    char digits[64];
    std::snprintf(digits, sizeof digits, "%.9ef", value);
    text_ += "constexpr float " + name + " = " + digits + ";\n";
  }
  template <class F>
  void per_layer(const std::string& name, size_t count, F value, const char* type = "int") {
    text_ += std::string("__device__ constexpr ") + type + " " + name + "[] = {";
    for (size_t l = 0; l <= count; ++l) text_ += (l ? ", " : "") + value(l);
    text_ += "};\n";
  }
  void line(const std::string& text) { text_ += text + "\n"; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

const char* activation_number(const std::string& name) {
  return name == "relu" ? "1" : name == "sigmoid" ? "2" : name == "tanh" ? "3" : "0";
}

int64_t loss_number(const std::string& name) {
  return name == "sparse_categorical_crossentropy" ? 0
         : name == "categorical_crossentropy"      ? 1
         : name == "binary_crossentropy"           ? 2
                                                   : 3;
}

const char* type_name(const std::string& name) {
  return name == "uint8"   ? "unsigned char"
         : name == "int32" ? "int"
         : name == "int64" ? "i64"
                           : "float";
}

void add_split(Constants& c, const StackSpec& spec, const StackLayout& at) {
  c.integer("CLUSTER", spec.cluster);
  c.integer("K_SPLITS", at.k_splits);
  c.integer("K_ROWS", at.k_rows);
  c.integer("UNITS", at.units);
  c.integer("UNIT_WARPS", at.unit_warps);
  c.integer("K_GROUPS", at.k_groups);
  c.integer("UNIT_TILES", at.unit_tiles);
  c.integer("K_TILES", at.k_tiles);
  c.integer("COMPUTE_WARPS", compute_warps);
  c.integer("COMPUTE", compute_warps * 32);
  c.integer("HELPERS", helper_warps * 32);
  c.integer("BATCH", spec.batch);
  c.integer("SUB", at.sub_batch);
  c.integer("SUBS", at.sub_batches);
  c.integer("OWN", at.own);
  c.integer("OWNERS", at.owners);
  c.integer("ROWS", at.rows);
  c.integer("X_STRIDE", at.x_stride);
  c.integer("LOCAL_STRIDE", at.local_stride);
  c.integer("DELTA_STRIDE", at.delta_stride);
  c.integer("MOMENTS_IN_REGISTERS", at.moments_in_registers);
  c.integer("CHECKED", spec.checked);
  c.integer("SHARED_BYTES", at.shared_bytes);
}

void add_layers(Constants& c, const StackSpec& spec, const StackLayout& at) {
  const size_t n = spec.layers.size();
  const auto layer = [&](size_t l) -> const DenseSpec& { return spec.layers[l - 1]; };
  c.integer("LAYERS", static_cast<int64_t>(n));
  c.per_layer("WIDTH", n,
              [&](size_t l) { return std::to_string(l ? layer(l).units : spec.inputs); });
  c.per_layer("ACTIVATION", n, [&](size_t l) {
    return l ? activation_number(layer(l).activation) : std::string("0");
  });
  c.per_layer("BIAS", n, [&](size_t l) { return std::to_string(l && layer(l).use_bias); });
  c.per_layer(
      "DROPOUT", n,
      [&](size_t l) {
        char digits[64];
        std::snprintf(digits, sizeof digits, "%.9ef", l ? layer(l).dropout : 0.0);
        return std::string(digits);
      },
      "float");
  c.per_layer(
      "SEED", n,
      [&](size_t l) {
        char digits[64];
        std::snprintf(digits, sizeof digits, "0x%" PRIx64 "ull",
                      l ? static_cast<uint64_t>(layer(l).seed) : 0);
        return std::string(digits);
      },
      "u64");
  c.per_layer("OWN_ROWS", n, [&](size_t l) { return std::to_string(at.own_rows[l]); });
  c.per_layer("W_STRIDE", n, [&](size_t l) { return std::to_string(at.weight_stride[l]); });
  c.per_layer("PADDED", n, [&](size_t l) { return std::to_string(at.padded_units[l]); });
}

void add_offsets(Constants& c, const StackSpec& spec, const StackLayout& at) {
  for (const char* name : {"barriers", "metrics", "sums", "alpha", "calls", "index", "labels", "x",
                           "local", "part_out", "part", "delta_in"})
    c.integer(std::string("AT_") + name, at.offsets.at(name));
  for (const char* name : {"a", "d", "act_in", "d_in", "w", "m", "v", "g", "b", "bm", "bv", "bg"})
    c.per_layer(std::string("AT_") + name, spec.layers.size(), [&](size_t l) {
      const auto found = at.offsets.find(name + std::to_string(l));
      return std::to_string(found == at.offsets.end() ? 0 : found->second);
    });
}

}  // namespace

std::string constants(const StackSpec& spec, const StackLayout& layout) {
  Constants c;
  c.line("using u64 = uint64_t;\nusing i64 = int64_t;");
  c.line(std::string("using Input = ") + type_name(spec.input_type) + ";");
  c.line(std::string("using Label = ") + type_name(spec.label_type) + ";");
  add_split(c, spec, layout);
  add_layers(c, spec, layout);
  add_offsets(c, spec, layout);
  c.integer("VECTOR", spec.inputs % 4 == 0 ? 4 : 1);
  c.number("INPUT_SCALE", spec.input_scale);
  c.integer("SCALED", spec.input_scale != 1);
  c.integer("GATHERED", spec.gathered);
  c.integer("LOSS", loss_number(spec.loss));
  c.number("LOSS_SCALE", spec.loss_scale);
  c.integer("ADAM", spec.optimizer == "adam");
  c.integer("MOMENTS", spec.optimizer == "adam" ? 2 : spec.momentum != 0 ? 1 : 0);
  c.number("BETA_1", spec.beta_1);
  c.number("BETA_2", spec.beta_2);
  c.number("ONE_LESS_BETA_1", 1 - spec.beta_1);
  c.number("ONE_LESS_BETA_2", 1 - spec.beta_2);
  c.number("EPSILON", spec.epsilon);
  c.number("MOMENTUM", spec.momentum);
  c.integer("NESTEROV", spec.nesterov);
  c.integer("LOSS_METRIC", spec.loss_metric);
  c.integer("ACCURACY_METRIC", spec.accuracy_metric);
  return c.take();
}

std::string kernel_text(const StackSpec& spec, const StackLayout& layout) {
  return KernelSource("trainer/train_dense_stack.cuh").code(constants(spec, layout));
}

}  // namespace stoker::cuda::trainer
