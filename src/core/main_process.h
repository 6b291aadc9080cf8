#pragma once

namespace stoker {

// Of the processes of one training, the first alone prints and writes files. True in a program that
// runs alone.
bool is_main_process();
void set_main_process(bool is_main);

}  // namespace stoker
