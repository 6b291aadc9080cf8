#pragma once
#include <cstdio>
#include <string>

namespace stoker {

// Prints what a person may read beside the results. It never fails: a terminal that was closed or a
// full disk must not end a training. Of several processes of one training the first alone prints.
void say(std::FILE* to, const std::string& text);

}  // namespace stoker
