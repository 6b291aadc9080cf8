#pragma once
#include "context.h"
#include "device/backend_interface.h"

namespace stoker::cuda {

// Copies, for whoever has made the GPU's context current and holds none of its locks: these take
// them only to enqueue something, and wait without them.

// When it returns the host's memory may be changed. In turn with the GPU's work, except copies to
// idle memory, which go beside it. Much of the host's memory goes through page-locked pieces,
// filled by all cores while the piece before is under way: the driver's own way is several times
// slower.
void copy(Gpu& on, void* to, const void* from, uint64_t bytes, StokerCopyKind kind);

// Enqueues a kernel that copies a little; for whoever holds the guard.
void copy_by_kernel(const Gpu& on, void* to, const void* from, uint64_t bytes);

// From or to page-locked memory, beside the GPU's work but behind `after`.
StokerTicket copy_beside(Gpu& on, void* to, const void* from, uint64_t bytes, StokerCopyKind kind,
                         StokerTicket after);

// What is enqueued on the copy stream from now on, to or from this memory, waits for `after`.
void begin_beside(Gpu& on, const void* to, const void* from, StokerTicket after);

StokerTicket mark(Gpu& on);  // all that was enqueued on its stream
void finish(Gpu& on);        // waits for that

}  // namespace stoker::cuda
