#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "block.h"

// How the threads of a block wait for each other.
namespace stoker::emulator {
namespace {

constexpr unsigned char poison = 0xFF;
constexpr size_t lanes = stoker_emulator::warp_size;

}  // namespace

int BlockRunner::wait_for_block(bool value, int line) {
  Thread& self = *current_;
  self.state = State::at_block;
  self.value = value;
  self.line = line;
  self.fiber->leave();
  return self.count;
}

const Word* BlockRunner::wait_for_warp(unsigned int mask, Word word, int line) {
  Thread& self = *current_;
  self.state = State::at_warp;
  self.mask = mask;
  self.word = word;
  self.line = line;
  self.fiber->leave();
  return self.seen;
}

void BlockRunner::trap(int line) {
  fail(fmt::format("__trap() at line {}{}", line, place()));
  current_->fiber->leave();
}

bool BlockRunner::release_warps() {
  bool any = false;
  for (size_t first = 0; first < threads_.size(); first += lanes)
    while (release_warp(first)) any = true;
  return any;
}

bool BlockRunner::release_warp(size_t first) {
  for (size_t i = first; i < std::min(first + lanes, threads_.size()); ++i)
    if (threads_[i].state == State::at_warp &&
        release_lanes(first, threads_[i].mask, threads_[i].line))
      return true;
  return false;
}

// Threads that ended or never existed do not count; reading their lane gives poison.
bool BlockRunner::release_lanes(size_t first, unsigned int mask, int line) {
  Word words[lanes];
  std::memset(words, poison, sizeof words);
  const size_t count = std::min(lanes, threads_.size() - first);
  for (size_t lane = 0; lane < count; ++lane) {
    const Thread& thread = threads_[first + lane];
    if (!(mask >> lane & 1) || thread.state == State::done) continue;
    if (thread.state != State::at_warp || thread.mask != mask || thread.line != line) return false;
    words[lane] = thread.word;
  }
  bool released = false;
  for (size_t lane = 0; lane < count; ++lane) {
    Thread& thread = threads_[first + lane];
    if (!(mask >> lane & 1) || thread.state != State::at_warp) continue;
    std::memcpy(thread.seen, words, sizeof words);
    thread.state = State::ready;
    released = true;
  }
  return released;
}

bool BlockRunner::release_block() {
  int line = -1, count = 0;
  for (const Thread& thread : threads_) {
    if (thread.state == State::done) continue;
    if (thread.state != State::at_block || (line >= 0 && thread.line != line)) return false;
    line = thread.line;
    count += thread.value;
  }
  for (Thread& thread : threads_) {
    if (thread.state == State::done) continue;
    thread.count = count;
    thread.state = State::ready;
  }
  return true;
}

std::string BlockRunner::stuck() const {
  std::string text = "threads wait for each other in different places:";
  int line = -1;
  for (size_t i = 0; i < threads_.size(); ++i) {
    const Thread& thread = threads_[i];
    if (thread.state == State::done || thread.line == line) continue;
    line = thread.line;
    text += thread.state == State::at_block
                ? fmt::format(" thread {} at line {} for its block;", i, line)
                : fmt::format(" thread {} at line {} for lanes {:#x};", i, line, thread.mask);
    if (text.size() > 400) break;
  }
  text.back() = ',';
  const Index& b = launch_.module->block;
  return text + fmt::format(" in block ({}, {}, {})", b.x, b.y, b.z);
}

}  // namespace stoker::emulator
