#include "block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "fault.h"

namespace stoker::emulator {
namespace {

constexpr unsigned char poison = 0xFF;
constexpr unsigned char guard_byte = 0xA5;
constexpr size_t guard_bytes = 256;

BlockRunner* running = nullptr;
const stoker_emulator::Runtime runtime{
    [](bool value, int line) { return running->wait_for_block(value, line); },
    [](unsigned int mask, Word word, int line) { return running->wait_for_warp(mask, word, line); },
    [](int line) { running->trap(line); }};

}  // namespace

// Both orders are valid on a GPU; a kernel that is correct in only one of them lacks a barrier.
BlockRunner::BlockRunner() {
  const char* order = std::getenv("STOKER_EMULATED_ORDER");
  backward_ = order && std::strcmp(order, "backward") == 0;
}

size_t BlockRunner::at(size_t turn) const { return backward_ ? threads_.size() - 1 - turn : turn; }

std::optional<std::string> BlockRunner::run(const Launch& launch) {
  launch_ = launch;
  running = this;
  failure_.clear();
  Module& module = *launch_.module;
  module.runtime = &runtime;
  module.threads = launch_.threads;
  module.blocks = launch_.blocks;
  threads_.resize(size_t{launch_.threads.x} * launch_.threads.y * launch_.threads.z);
  const auto fault =
      run_guarded([](void* self) { static_cast<BlockRunner*>(self)->run_blocks(); }, this);
  if (fault) failure_ = *fault + place();
  if (failure_.empty()) return std::nullopt;
  idle_.clear();  // threads were abandoned
  fibers_.clear();
  return failure_;
}

void BlockRunner::run_blocks() {
  Index& block = launch_.module->block;
  for (block.z = 0; block.z < launch_.blocks.z; ++block.z)
    for (block.y = 0; block.y < launch_.blocks.y; ++block.y)
      for (block.x = 0; block.x < launch_.blocks.x; ++block.x) {
        run_block();
        if (!failure_.empty()) return;
      }
}

void BlockRunner::run_block() {
  prepare_block();
  while (failure_.empty()) {
    start_unstarted();
    for (size_t turn = 0; turn < threads_.size(); ++turn)
      if (Thread& thread = threads_[at(turn)]; thread.state == State::ready) resume(thread);
    if (!failure_.empty() || release_warps()) continue;
    if (all_done()) return check_shared();
    if (!release_block()) fail(stuck());
  }
}

void BlockRunner::prepare_block() {
  const Module& module = *launch_.module;
  std::memset(module.shared, poison, static_cast<size_t>(module.shared_end - module.shared));
  std::memset(module.dynamic_shared, poison, launch_.shared_bytes);
  std::memset(module.dynamic_shared + launch_.shared_bytes, guard_byte, guard_bytes);
  started_ = 0;
  const Index& size = launch_.threads;
  for (size_t i = 0; i < threads_.size(); ++i) {
    threads_[i].state = State::unstarted;
    const auto n = static_cast<unsigned int>(i);
    threads_[i].index = {n % size.x, n / size.x % size.y, n / size.x / size.y};
  }
}

void BlockRunner::check_shared() {
  const char* behind = launch_.module->dynamic_shared + launch_.shared_bytes;
  for (size_t i = 0; i < guard_bytes; ++i)
    if (static_cast<unsigned char>(behind[i]) != guard_byte)
      return fail(fmt::format("byte {} of {} bytes of dynamic shared memory was written{}",
                              launch_.shared_bytes + i, launch_.shared_bytes, place()));
}

void BlockRunner::start_unstarted() {
  while (started_ < threads_.size() && failure_.empty()) {
    if (idle_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>([this] { run_threads(); }));
      idle_.push_back(fibers_.back().get());
    }
    entered_ = idle_.back();
    idle_.pop_back();
    entered_->enter();
    if (entered_->ended()) idle_.push_back(entered_);
  }
}

void BlockRunner::run_threads() {
  Fiber* const own = entered_;
  while (started_ < threads_.size()) {
    Thread& thread = threads_[at(started_++)];
    thread.fiber = own;
    current_ = &thread;
    launch_.module->thread = thread.index;
    launch_.kernel->run(launch_.arguments);
    thread.state = State::done;
  }
}

void BlockRunner::resume(Thread& thread) {
  current_ = &thread;
  entered_ = thread.fiber;
  launch_.module->thread = thread.index;
  thread.fiber->enter();
  if (entered_->ended()) idle_.push_back(entered_);
}

bool BlockRunner::all_done() const {
  return std::all_of(threads_.begin(), threads_.end(),
                     [](const Thread& thread) { return thread.state == State::done; });
}

void BlockRunner::fail(std::string why) {
  if (failure_.empty()) failure_ = std::move(why);
}

std::string BlockRunner::place() const {
  const Index &b = launch_.module->block, &t = launch_.module->thread;
  return fmt::format(", in block ({}, {}, {}), thread ({}, {}, {})", b.x, b.y, b.z, t.x, t.y, t.z);
}

}  // namespace stoker::emulator
