#include "core/main_process.h"

#include <atomic>

namespace stoker {
namespace {
std::atomic<bool> is_main = true;
}  // namespace

bool is_main_process() { return is_main.load(std::memory_order_relaxed); }
void set_main_process(bool value) { is_main = value; }

}  // namespace stoker
