#include <sstream>

#include "kernel.h"
#include "trainer/kernel_text.h"

// A network small enough for the registers and shared memory of a cluster of blocks: one launch
// trains many steps.
namespace stoker::cuda {
namespace {

using trainer::DenseSpec;
using trainer::KernelArguments;
using trainer::StackSpec;

std::vector<DenseSpec> read_layers(const std::string& text) {
  std::vector<DenseSpec> layers;
  std::istringstream all(text);
  for (std::string one; std::getline(all, one, ';');) {
    DenseSpec layer;
    std::istringstream words(one);
    words >> layer.units >> layer.activation >> layer.use_bias >> layer.dropout >> layer.seed;
    layers.push_back(layer);
  }
  return layers;
}

// After the states: the learning rate, x, y and the indices.
const TensorType& input_after_states(const NodeView& node, size_t i) {
  return node.in[static_cast<size_t>(node.integer("states")) + i];
}

StackSpec read_spec(const NodeView& node, const Gpu& gpu) {
  StackSpec spec;
  spec.batch = node.integer("batch");
  spec.inputs = node.integer("inputs");
  spec.layers = read_layers(node.text("layers"));
  spec.loss = node.text("loss");
  spec.loss_scale = node.number("loss_scale");
  spec.optimizer = node.text("optimizer");
  spec.beta_1 = node.number("beta_1");
  spec.beta_2 = node.number("beta_2");
  spec.epsilon = node.number("epsilon");
  spec.momentum = node.number("momentum");
  spec.nesterov = node.flag("nesterov");
  spec.input_type = name_of(input_after_states(node, 1).dtype);
  spec.input_scale = node.number("input_scale");
  spec.label_type = name_of(input_after_states(node, 2).dtype);
  spec.gathered = node.flag("gathered");
  spec.loss_metric = node.flag("loss_metric");
  spec.accuracy_metric = node.flag("accuracy_metric");
  spec.cluster = gpu.capability == 90 && gpu.multiprocessors >= 100 ? 16 : 8;
  spec.bytes_of_block = gpu.shared_memory;
  return spec;
}

std::string refuse(const StackSpec& spec, const Gpu& gpu) {
  if (!gpu.has_clusters)
    return fmt::format("this GPU of compute capability {}.{} has no clusters of blocks",
                       gpu.capability / 10, gpu.capability % 10);
  if (!settings().tf32) return "it multiplies in TF32, which is switched off";
  if (spec.input_type != "float32" && spec.input_type != "uint8")
    return "inputs of " + spec.input_type;
  for (const char* known : {"float32", "int64", "int32", "uint8"})
    if (spec.label_type == known) return {};
  return "targets of " + spec.label_type;
}

class Trainer : public Kernel {
 public:
  Trainer(StackSpec spec, const trainer::StackLayout& layout, const NodeView& node)
      : spec_(std::move(spec)), states_(static_cast<size_t>(node.integer("states"))) {
    for (size_t i = 0; i < states_; ++i)
      bytes_.push_back(static_cast<uint64_t>(node.in[i].bytes()));
    const auto cluster = static_cast<unsigned int>(spec_.cluster);
    shape_ = {.blocks = cluster,
              .threads = static_cast<unsigned int>(trainer::threads),
              .shared_bytes = static_cast<unsigned int>(layout.shared_bytes),
              .cluster = cluster};
    functions = {make_function(trainer::kernel_text(spec_, layout), "train_dense_stack")};
  }

  void encode(Encoder& encoder, void* const* arguments, void*) override {
    const std::vector<int64_t> still(2 * states_ + 4, 0);
    encode_steps(encoder, arguments, still.data(), 1, nullptr);
  }
  bool runs_many_steps() const override { return true; }
  void encode_steps(Encoder& encoder, void* const* arguments, const int64_t* strides, int64_t steps,
                    void*) override {
    const size_t inputs = states_ + 3 + size_t{spec_.gathered};
    for (size_t i = 0; i < states_; ++i)
      encoder.copy(arguments[inputs + i], arguments[i], bytes_[i]);
    KernelArguments to{};
    place_states(to, arguments + inputs);
    to.steps = steps;
    to.learning_rate = static_cast<const float*>(arguments[states_]);
    to.x = arguments[states_ + 1];
    to.x_stride = strides[states_ + 1];
    to.y = arguments[states_ + 2];
    to.y_stride = strides[states_ + 2];
    if (spec_.gathered) {
      to.index = static_cast<const int64_t*>(arguments[states_ + 3]);
      to.index_stride = strides[states_ + 3];
    }
    encoder.launch(*functions[0], shape_, to);
  }

 private:
  // In the order documented in src/ops/optimizer/train_dense_stack.cpp.
  void place_states(KernelArguments& to, void* const* states) const {
    const auto next = [&]<class T>(T*& pointer) { pointer = static_cast<T*>(*states++); };
    const auto parameters = [&](auto& kernels, auto& biases) {
      for (size_t l = 0; l < spec_.layers.size(); ++l) {
        next(kernels[l]);
        if (spec_.layers[l].use_bias) next(biases[l]);
      }
    };
    parameters(to.w, to.b);
    if (spec_.optimizer == "adam" || spec_.momentum != 0) parameters(to.wm, to.bm);
    if (spec_.optimizer == "adam") parameters(to.wv, to.bv);
    next(to.iteration);
    for (size_t l = 0; l < spec_.layers.size(); ++l)
      if (spec_.layers[l].dropout != 0) next(to.calls[l]);
    if (spec_.loss_metric) next(to.loss_total), next(to.loss_count);
    if (spec_.accuracy_metric) next(to.accuracy_total), next(to.accuracy_count);
  }

  StackSpec spec_;
  size_t states_;
  std::vector<uint64_t> bytes_;
  LaunchShape shape_;
};

std::unique_ptr<Kernel> plan_trainer(const NodeView& node, std::string& refusal) {
  const Gpu& gpu = current_gpu();
  StackSpec spec = read_spec(node, gpu);
  refusal = refuse(spec, gpu);
  if (!refusal.empty()) return nullptr;
  const auto layout = trainer::lay_out(spec, refusal);
  if (!layout) return nullptr;
  return std::make_unique<Trainer>(std::move(spec), *layout, node);
}

const RegisterKernel trainer_kernel{"train_dense_stack", "cluster", specialised, plan_trainer};

}  // namespace
}  // namespace stoker::cuda
