#include "stoker/say.h"

namespace stoker {

void say(std::FILE* to, const std::string& text) {
  [[maybe_unused]] const size_t written = std::fwrite(text.data(), 1, text.size(), to);
}

}  // namespace stoker
