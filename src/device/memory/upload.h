#pragma once
#include <span>
#include <vector>

#include "device/memory/buffer.h"

namespace stoker::device {

// Copies host arrays to device memory. A copy to a GPU takes some microseconds however small it is,
// so a few small arrays share one block and are sent in one copy. Throws OutOfMemory; `what` and
// `kind` as for a buffer.
std::vector<Buffer> upload_together(const Device& device, std::span<const Array> arrays,
                                    const char* what, MemoryKind kind = MemoryKind::other);

}  // namespace stoker::device
