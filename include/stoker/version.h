#pragma once

namespace stoker {

// Release and commit this library was built from, such as "0.1.0 (1a2b3c4)".
const char* version();

}  // namespace stoker
