#include "ops/elementwise/elementwise_kernel.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/round_up.h"
#include "core/thread_pool.h"

namespace stoker::cpu {
namespace {

// One thread's share of the tiles.
class PartRunner {
 public:
  PartRunner(const TileProgram& program, void* const* arguments, std::byte* scratch)
      : program_(program), arguments_(arguments), scratch_(scratch) {
    for (const auto& b : program.buffered) slots_[index(b.slot)] = buffer(b.buffer);
    for (const auto& g : program.gathered)
      if (!g.every_tile) gather(g, 0, std::min(program.tile, program.space.size));
  }

  void run(int64_t begin, int64_t n) {
    for (const auto& m : program_.moving) slots_[index(m.slot)] = at(m.argument, begin, m.bytes);
    for (const auto& g : program_.gathered)
      if (g.every_tile) gather(g, begin, n);
    for (const auto& step : program_.steps)
      step.function(slots_[index(step.a)], slots_[index(step.b)], slots_[index(step.c)],
                    slots_[index(step.out)], n);
    for (const auto& flush : program_.flushes)
      std::memcpy(at(flush.argument, begin, flush.bytes), slots_[index(flush.slot)],
                  static_cast<size_t>(n) * flush.bytes);
  }

 private:
  static size_t index(int slot) { return static_cast<size_t>(slot); }
  std::byte* at(int argument, int64_t position, size_t bytes) const {
    return static_cast<std::byte*>(arguments_[argument]) + position * static_cast<int64_t>(bytes);
  }
  std::byte* buffer(int number) const {
    return scratch_ + static_cast<size_t>(number) * program_.buffer_bytes();
  }
  void gather(const TileProgram::Gathered& g, int64_t begin, int64_t n) {
    slots_[index(g.slot)] =
        const_cast<std::byte*>(load_range(program_.space, static_cast<size_t>(g.argument), g.bytes,
                                          at(g.argument, 0, g.bytes), begin, n, buffer(g.buffer)));
  }

  const TileProgram& program_;
  void* const* arguments_;
  std::byte* scratch_;
  std::array<std::byte*, max_slots> slots_;
};

void run_part(const TileProgram& program, void* const* arguments, std::byte* scratch, int part) {
  const int64_t size = program.space.size, tiles = ceil_div(size, program.tile);
  const int64_t first = tiles * part / program.parts, last = tiles * (part + 1) / program.parts;
  PartRunner runner(program, arguments, scratch);
  for (int64_t t = first; t < last; ++t) {
    const int64_t begin = t * program.tile;
    runner.run(begin, std::min(program.tile, size - begin));
  }
}

}  // namespace

void run_tiles(const TileProgram& program, void* const* arguments, void* workspace) {
  if (program.space.size == 0) return;
  auto* scratch = static_cast<std::byte*>(workspace);
  if (program.parts == 1) return run_part(program, arguments, scratch, 0);
  const size_t part_bytes = static_cast<size_t>(program.buffers) * program.buffer_bytes();
  ThreadPool::global().run(program.parts, [&](int part) {
    run_part(program, arguments, scratch + static_cast<size_t>(part) * part_bytes, part);
  });
}

}  // namespace stoker::cpu
