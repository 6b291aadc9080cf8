#include "ops/elementwise/elementwise_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/elementwise/elementwise_ops.h"
#include "core/round_up.h"
#include "core/thread_pool.h"
#include "ops/elementwise/elementwise_kernel.h"

namespace stoker::cpu {
namespace {

constexpr int64_t tile_elements = 1024;  // 4 KB per value: a dozen of them fit into the L1 cache
constexpr int64_t tile_without_buffers = 16384;
constexpr double grain = 32768;  // cheap operations that are worth waking a thread

double weight(const std::string& op) {
  const ElementwiseOp* row = find_elementwise_op(op);
  return row && row->cost == ElementwiseOp::Cost::slow ? 8 : 1;
}

bool only_moves(const Instruction& i) { return i.op == "copy" || i.op == "broadcast_to"; }

class ProgramPlanner {
 public:
  ProgramPlanner(const NodeView& node, const ElementwiseProgram& given) : node_(node) {
    for (const TensorType& type : node.in) dtypes_.push_back(type.dtype);
    ElementwiseProgram program = widen_float16(given, dtypes_);
    instructions_ = std::move(program.instructions);
    results_ = std::move(program.results);
    for (const Instruction& i : instructions_) dtypes_.push_back(i.dtype);
    plan_.space = iteration_space(node.out[0].shape, node.in);
  }

  bool plan(std::string& refusal) {
    skip_copies();
    copy_shared_results();
    find_last_reads();
    if (count() > max_slots) return refuse(refusal, "the program is too long");
    place_results();
    place_inputs();
    choose_tile();
    return add_steps(refusal);
  }
  TileProgram take() { return std::move(plan_); }

 private:
  int inputs() const { return static_cast<int>(node_.in.size()); }
  int count() const { return inputs() + static_cast<int>(instructions_.size()); }
  bool is_input(int number) const { return number < inputs(); }
  const Instruction& made_by(int number) const {
    return instructions_[static_cast<size_t>(number - inputs())];
  }
  static bool refuse(std::string& refusal, std::string why) {
    refusal = std::move(why);
    return false;
  }

  // A copy inside the program is an alias of its operand.
  void skip_copies() {
    std::vector<int> same(static_cast<size_t>(count()));
    for (int i = 0; i < count(); ++i) same[static_cast<size_t>(i)] = i;
    for (int i = inputs(); i < count(); ++i) {
      Instruction& instruction = instructions_[static_cast<size_t>(i - inputs())];
      for (int& operand : instruction.operands) operand = same[static_cast<size_t>(operand)];
      if (only_moves(instruction)) same[static_cast<size_t>(i)] = instruction.operands[0];
    }
    for (int& result : results_) result = same[static_cast<size_t>(result)];
  }

  // Each output is written by an instruction of its own.
  void copy_shared_results() {
    for (size_t o = 0; o < results_.size(); ++o) {
      const auto before = results_.begin() + static_cast<std::ptrdiff_t>(o);
      if (!is_input(results_[o]) && std::find(results_.begin(), before, results_[o]) == before)
        continue;
      const DType dtype = dtypes_[static_cast<size_t>(results_[o])];
      instructions_.push_back({"copy", dtype, {results_[o]}});
      dtypes_.push_back(dtype);
      results_[o] = count() - 1;
    }
  }

  void find_last_reads() {
    last_read_.assign(static_cast<size_t>(count()), -1);
    for (auto result : results_) last_read_[static_cast<size_t>(result)] = count();
    for (int i = count(); i-- > inputs();) {
      if (last_read_[static_cast<size_t>(i)] < 0) continue;  // no instruction needs it
      for (int operand : made_by(i).operands)
        if (last_read_[static_cast<size_t>(operand)] < i)
          last_read_[static_cast<size_t>(operand)] = i;
    }
  }

  // The output may alias any input of its type, so it can be written immediately only if none of
  // those is read later.
  bool can_write_at_once(int number, const TensorType& type) const {
    for (int i = 0; i < inputs(); ++i)
      if (node_.in[static_cast<size_t>(i)] == type && last_read_[static_cast<size_t>(i)] > number)
        return false;
    return true;
  }

  void place_results() {
    placed_.assign(static_cast<size_t>(count()), false);
    for (size_t o = 0; o < results_.size(); ++o) {
      const int number = results_[o], argument = inputs() + static_cast<int>(o);
      const size_t bytes = size_of(node_.out[o].dtype);
      if (can_write_at_once(number, node_.out[o])) {
        plan_.moving.push_back({number, argument, bytes});
        placed_[static_cast<size_t>(number)] = true;
      } else {
        plan_.flushes.push_back({number, argument, bytes});
      }
    }
  }

  void place_inputs() {
    for (int i = 0; i < inputs(); ++i) {
      if (last_read_[static_cast<size_t>(i)] < 0) continue;
      const size_t bytes = size_of(dtypes_[static_cast<size_t>(i)]);
      if (plan_.space.is_contiguous(static_cast<size_t>(i)))
        plan_.moving.push_back({i, i, bytes});
      else
        plan_.gathered.push_back({i, i, plan_.buffers++, bytes, true});
    }
  }

  // Repeated rows are gathered only once if a tile is a whole number of rows.
  void choose_tile() {
    const int64_t period =
        plan_.space.dims.empty() ? 1 : std::max<int64_t>(1, plan_.space.dims.back());
    const bool needs_buffers =
        !plan_.gathered.empty() || !plan_.flushes.empty() || instructions_.size() > results_.size();
    plan_.tile = needs_buffers ? tile_elements : tile_without_buffers;
    if (needs_buffers && period <= tile_elements) plan_.tile = tile_elements / period * period;
    for (auto& g : plan_.gathered) {
      const auto input = static_cast<size_t>(g.argument);
      g.every_tile = !plan_.space.is_scalar(input) &&
                     !(plan_.space.is_periodic(input) && plan_.tile % period == 0);
    }
    plan_.tile = std::min(plan_.tile, std::max<int64_t>(plan_.space.size, 1));
    const int64_t tiles = ceil_div(plan_.space.size, plan_.tile);
    double work = 0;
    for (const Instruction& i : instructions_) work += weight(i.op);
    work *= static_cast<double>(plan_.space.size);
    const auto grains = std::min<int64_t>(static_cast<int64_t>(work / grain), tiles);
    plan_.parts = worthwhile_threads(grains, ThreadPool::global().size());
  }

  int take_buffer() {
    if (free_.empty()) return plan_.buffers++;
    const int buffer = free_.back();
    free_.pop_back();
    return buffer;
  }

  TileFunction function_for(const Instruction& instruction) const {
    const DType in = dtypes_[static_cast<size_t>(instruction.operands.back())];
    if (in == DType::float32 && plan_.space.size > 1)
      if (const TileFunction fast = find_float32_function(instruction.op)) return fast;
    return find_typed_function(instruction.op, in, instruction.dtype);
  }

  bool add_steps(std::string& refusal) {
    std::vector<int> buffer_of(static_cast<size_t>(count()), -1);
    for (int i = inputs(); i < count(); ++i) {
      if (last_read_[static_cast<size_t>(i)] < 0) continue;
      const Instruction& instruction = made_by(i);
      const TileFunction function = function_for(instruction);
      if (!function)
        return refuse(refusal, fmt::format("there is no {} in {}", instruction.op,
                                           name_of(instruction.dtype)));
      if (!placed_[static_cast<size_t>(i)]) {
        buffer_of[static_cast<size_t>(i)] = take_buffer();
        plan_.buffered.push_back({i, buffer_of[static_cast<size_t>(i)]});
      }
      const auto& in = instruction.operands;
      plan_.steps.push_back({function, in[0], in[in.size() > 1], in[in.size() > 2 ? 2 : 0], i});
      release_read(in, i, buffer_of);
    }
    return true;
  }

  // The buffer of a value that is not read any more is reused by the next instruction.
  void release_read(const std::vector<int>& operands, int now, std::vector<int>& buffer_of) {
    for (int operand : operands) {
      int& buffer = buffer_of[static_cast<size_t>(operand)];
      if (buffer < 0 || last_read_[static_cast<size_t>(operand)] != now) continue;
      free_.push_back(buffer);
      buffer = -1;
    }
  }

  const NodeView& node_;
  std::vector<Instruction> instructions_;
  std::vector<int> results_, last_read_, free_;
  std::vector<DType> dtypes_;
  std::vector<bool> placed_;
  TileProgram plan_;
};

}  // namespace

std::unique_ptr<Kernel> plan_program(const NodeView& node, const ElementwiseProgram& program,
                                     std::string& refusal) {
  ProgramPlanner planner(node, program);
  if (!planner.plan(refusal)) return nullptr;
  TileProgram plan = planner.take();
  const uint64_t workspace = plan.workspace();
  return make_kernel(
      [plan = std::move(plan)](void* const* arguments, void* scratch) {
        run_tiles(plan, arguments, scratch);
      },
      workspace);
}

}  // namespace stoker::cpu
