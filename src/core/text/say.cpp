#include "stoker/say.h"

#include "core/main_process.h"

namespace stoker {

void say(std::FILE* to, const std::string& text) {
  if (!is_main_process()) return;
  [[maybe_unused]] const size_t written = std::fwrite(text.data(), 1, text.size(), to);
}

}  // namespace stoker
