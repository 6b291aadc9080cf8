#pragma once

namespace stoker {

// With several processes only the first one prints and writes files. True without a launcher.
bool is_main_process();
void set_main_process(bool is_main);

}  // namespace stoker
