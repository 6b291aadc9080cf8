#pragma once
#include <cstdio>
#include <string>

namespace stoker {

// Prints a message for the user. It never fails: a closed terminal or a full disk must not end a
// training. With several processes only the first one prints.
void say(std::FILE* to, const std::string& text);

}  // namespace stoker
