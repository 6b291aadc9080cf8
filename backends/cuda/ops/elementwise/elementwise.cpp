#include <algorithm>

#include "core/elementwise/elementwise_program.h"
#include "core/iteration_space.h"
#include "ops/elementwise/elementwise_text.h"
#include "ops/layout_text.h"
#include "ops/support.h"

// Every elementwise op and every fused program: one kernel file, with the program as macros.
namespace stoker::cuda {
namespace {

constexpr int64_t worth_vectors = 32768;  // for smaller tensors, more threads hide more latency

enum class Access { contiguous, scalar, group, same_in_group, element };

class ProgramWriter {
 public:
  ProgramWriter(const NodeView& node, const ElementwiseProgram& program)
      : node_(node), program_(program) {
    for (const TensorType& type : node.in) dtypes_.push_back(type.dtype);
    for (const Instruction& i : program.instructions) dtypes_.push_back(i.dtype);
    space_ = iteration_space(node.out[0].shape, node.in);
    find_reads();
    choose_width();
    for (size_t i = 0; i < node.in.size(); ++i) access_.push_back(access_of(i));
  }

  // Empty if an instruction has no CUDA expression.
  std::string text(std::string& refusal) const {
    const std::string body = body_text(refusal);
    if (body.empty()) return "";
    return KernelSource("elementwise/elementwise.cuh")
        .type("index_t", index_name(space_.size))
        .constant("width", width_)
        .macro("MEMBERS", members())
        .macro("LOADS", loads())
        .macro("INSTRUCTIONS", body)
        .macro("STORES", stores());
  }

  int64_t width() const { return width_; }
  int64_t size() const { return space_.size; }
  // Bytes to which each argument must be aligned for groups of `width` elements.
  std::vector<int64_t> alignments() const {
    std::vector<int64_t> bytes;
    for (size_t i = 0; i < node_.in.size(); ++i) {
      const bool whole = access_[i] == Access::contiguous || access_[i] == Access::group;
      const auto size = static_cast<int64_t>(size_of(node_.in[i].dtype));
      bytes.push_back(whole && is_read_[i] ? size * width_ : 1);
    }
    for (const TensorType& type : node_.out)
      bytes.push_back(static_cast<int64_t>(size_of(type.dtype)) * width_);
    return bytes;
  }

 private:
  void find_reads() {
    is_read_.assign(dtypes_.size(), false);
    for (int result : program_.results) is_read_[static_cast<size_t>(result)] = true;
    for (size_t i = program_.instructions.size(); i-- > 0;)
      if (is_read_[node_.in.size() + i])
        for (int operand : program_.instructions[i].operands)
          is_read_[static_cast<size_t>(operand)] = true;
  }

  // As many elements of the widest type as fit into 16 bytes.
  void choose_width() {
    if (space_.size < worth_vectors) return;
    size_t widest = 1;
    for (size_t i = 0; i < node_.in.size(); ++i)
      if (is_read_[i] && space_.is_contiguous(i))
        widest = std::max(widest, size_of(node_.in[i].dtype));
    for (const TensorType& type : node_.out) widest = std::max(widest, size_of(type.dtype));
    width_ = static_cast<int64_t>(16 / widest);
  }

  Access access_of(size_t input) const {
    if (space_.is_scalar(input)) return Access::scalar;
    if (space_.is_contiguous(input)) return Access::contiguous;
    const auto& strides = space_.strides[input];
    if (space_.dims.back() % width_ != 0) return Access::element;
    if (strides.back() == 0) return Access::same_in_group;
    const bool steps_whole =
        std::all_of(strides.begin(), strides.end() - 1, [&](int64_t s) { return s % width_ == 0; });
    return strides.back() == 1 && steps_whole ? Access::group : Access::element;
  }

  std::string members() const {
    std::string text;
    for (size_t i = 0; i < node_.in.size(); ++i)
      text += fmt::format("const {}* in{}; ", type_name(node_.in[i].dtype), i);
    for (size_t o = 0; o < node_.out.size(); ++o)
      text += fmt::format("{}* out{}; ", type_name(node_.out[o].dtype), o);
    return text;
  }
  std::string offset(size_t input, const char* index) const {
    return offset_text(index, space_.dims, space_.strides[input]);
  }

  std::string loads() const {
    std::string text;
    for (size_t i = 0; i < node_.in.size(); ++i) {
      if (!is_read_[i]) continue;
      if (access_[i] == Access::scalar)
        text += fmt::format("const auto x{0} = load(t.in{0}[0]); ", i);
      if (access_[i] == Access::contiguous)
        text += fmt::format("const auto x{0} = load_vector<n>(t.in{0} + i); ", i);
      if (access_[i] == Access::group)
        text +=
            fmt::format("const auto x{0} = load_vector<n>(t.in{0} + ({1})); ", i, offset(i, "i"));
      if (access_[i] == Access::same_in_group)
        text += fmt::format("const auto x{0} = load(t.in{0}[{1}]); ", i, offset(i, "i"));
      if (access_[i] == Access::element)
        text +=
            fmt::format("Vec<{0}, n> x{1}; for (int k = 0; k < n; ++k) x{1}.at[k] = t.in{1}[{2}]; ",
                        type_name(node_.in[i].dtype), i, offset(i, "(i + k)"));
    }
    for (size_t o = 0; o < node_.out.size(); ++o)
      text += fmt::format("Vec<{}, n> y{}; ", type_name(node_.out[o].dtype), o);
    return text;
  }

  std::string stores() const {
    std::string text;
    for (size_t o = 0; o < node_.out.size(); ++o)
      text += fmt::format("store_vector<n>(t.out{0} + i, y{0}); ", o);
    return text;
  }

  std::string operand_text(int number) const {
    const auto i = static_cast<size_t>(number);
    if (i >= node_.in.size()) return fmt::format("v{}", number);
    const bool one = access_[i] == Access::scalar || access_[i] == Access::same_in_group;
    return one ? fmt::format("x{}", i) : fmt::format("load(x{}.at[k])", i);
  }

  // Between instructions float16 and bfloat16 values are float; they are rounded when they are
  // stored or cast.
  std::string body_text(std::string& refusal) const {
    std::string text;
    for (size_t n = 0; n < program_.instructions.size(); ++n) {
      const Instruction& instruction = program_.instructions[n];
      const size_t number = node_.in.size() + n;
      if (!is_read_[number]) continue;
      std::vector<std::string> operands;
      for (int operand : instruction.operands) operands.push_back(operand_text(operand));
      const DType in = dtypes_[static_cast<size_t>(instruction.operands.back())];
      std::string value = instruction_text(instruction.op, in, instruction.dtype, operands);
      if (value.empty()) {
        refusal = fmt::format("there is no {} in {}", instruction.op, name_of(in));
        return "";
      }
      if (is_half(instruction.dtype) && instruction.op == "cast")
        value = fmt::format("load(store<{}>({}))", type_name(instruction.dtype), value);
      text += fmt::format("const {} v{} = {}; ", compute_name(instruction.dtype), number, value);
    }
    for (size_t o = 0; o < program_.results.size(); ++o)
      text += fmt::format("y{}.at[k] = store<{}>({}); ", o, type_name(node_.out[o].dtype),
                          operand_text(program_.results[o]));
    return text;
  }

  const NodeView& node_;
  const ElementwiseProgram& program_;
  std::vector<DType> dtypes_;  // by operand number
  std::vector<bool> is_read_;
  IterationSpace space_;
  int64_t width_ = 1;
  std::vector<Access> access_;
};

std::unique_ptr<Kernel> plan_program(const NodeView& node, const ElementwiseProgram& program,
                                     std::string& refusal) {
  const ProgramWriter writer(node, program);
  const std::string text = writer.text(refusal);
  if (text.empty()) return nullptr;
  const int64_t size = writer.size(), width = writer.width();
  if (size == 0) return do_nothing();
  const auto function = make_function(text, "elementwise");
  return make_kernel({function}, [function, size, width, alignments = writer.alignments()](
                                     Encoder& encoder, void* const* arguments, void*) {
    bool whole = true;
    for (size_t i = 0; i < alignments.size(); ++i)
      whole = whole && is_aligned(arguments[i], alignments[i]);
    int64_t groups = whole ? size / width : 0, items = groups + (size - groups * width);
    // The contiguous pointers are the members of `Tensors`.
    void* parameters[] = {const_cast<void**>(arguments), &groups, &items};
    const unsigned int threads = items <= 32 ? 32 : 256;
    encoder.launch_with(*function, {.blocks = blocks_for(items, threads), .threads = threads},
                        parameters);
  });
}

std::unique_ptr<Kernel> plan_single(const NodeView& node, std::string& refusal) {
  return plan_program(node, single_instruction(node.op, node.out[0].dtype, node.in.size()),
                      refusal);
}

[[maybe_unused]] const bool registered = [] {
  for (const char* op : elementwise_ops) RegisterKernel{op, "generated", optimised, plan_single};
  return true;
}();

const RegisterKernel fused{
    "fused_elementwise", "generated", optimised, [](const NodeView& node, std::string& refusal) {
      return plan_program(node, parse_program(node.text("program"), node.integers("results")),
                          refusal);
    }};

}  // namespace
}  // namespace stoker::cuda
