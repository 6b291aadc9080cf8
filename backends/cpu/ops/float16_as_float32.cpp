#include "core/round_up.h"
#include "ops/elementwise/elementwise_functions.h"
#include "ops/support.h"
#include "stoker/error.h"

// Any op on 16-bit floats: operands are converted to float32 in the workspace, the float32 kernel
// runs, and its results are rounded once. So products and sums of float16 and bfloat16 accumulate
// in float32.
namespace stoker::cpu {
namespace {

// A 16-bit argument and the offset of its float32 copy in the workspace.
struct Float32Copy {
  size_t argument;
  int64_t size;
  uint64_t offset;
  TileFunction convert;
};

void convert(const Float32Copy& copy, const void* from, size_t from_bytes, void* to,
             size_t to_bytes) {
  parallel_for(copy.size, grain_for(1), [&](int64_t begin, int64_t end) {
    const auto first = static_cast<size_t>(begin);
    const auto* source = static_cast<const std::byte*>(from) + first * from_bytes;
    copy.convert(source, source, source, static_cast<std::byte*>(to) + first * to_bytes,
                 end - begin);
  });
}

class InFloat32 : public Kernel {
 public:
  InFloat32(const NodeView& node, std::unique_ptr<Kernel> inner)
      : inner_(std::move(inner)), arguments_(node.in.size() + node.out.size()) {
    workspace = aligned(inner_->workspace);
    for (size_t i = 0; i < node.in.size(); ++i)
      if (is_half(node.in[i].dtype))
        read_.push_back(
            copy_of(i, node.in[i], find_cast_function(node.in[i].dtype, DType::float32)));
    for (size_t i = 0; i < node.out.size(); ++i)
      if (is_half(node.out[i].dtype))
        written_.push_back(copy_of(node.in.size() + i, node.out[i],
                                   find_cast_function(DType::float32, node.out[i].dtype)));
  }

  void run(void* const* arguments, void* scratch) noexcept override {
    std::copy_n(arguments, arguments_.size(), arguments_.begin());
    auto* base = static_cast<std::byte*>(scratch);
    for (const Float32Copy& t : read_) convert(t, arguments[t.argument], 2, base + t.offset, 4);
    for (const auto* copies : {&read_, &written_})
      for (const Float32Copy& t : *copies) arguments_[t.argument] = base + t.offset;
    inner_->run(arguments_.data(), scratch);
    for (const Float32Copy& t : written_) convert(t, base + t.offset, 4, arguments[t.argument], 2);
  }

 private:
  static uint64_t aligned(uint64_t bytes) { return round_up(bytes, 64); }
  Float32Copy copy_of(size_t argument, const TensorType& type, TileFunction function) {
    const Float32Copy made{argument, type.shape.size(), workspace, function};
    workspace += aligned(static_cast<uint64_t>(made.size) * sizeof(float));
    return made;
  }

  std::unique_ptr<Kernel> inner_;
  std::vector<Float32Copy> read_, written_;
  std::vector<void*> arguments_;
};

std::unique_ptr<Kernel> plan_in_float32(const NodeView& node, std::string& refusal) {
  NodeView wide = node;
  bool any = false;
  for (auto* types : {&wide.in, &wide.out})
    for (TensorType& type : *types)
      if (is_half(type.dtype)) {
        type.dtype = DType::float32;
        any = true;
      }
  if (!any) return nullptr;
  try {
    return std::make_unique<InFloat32>(node, plan(wide));
  } catch (const Unsupported& error) {
    refusal = "in float32, " + error.message();
    return nullptr;
  }
}

const RegisterKernel in_float32{any_op, "in_float32", reference, plan_in_float32};

}  // namespace
}  // namespace stoker::cpu
