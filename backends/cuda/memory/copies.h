#pragma once
#include "context.h"
#include "device/backend_interface.h"

namespace stoker::cuda {

// Copies. The caller has made the GPU's context current and holds none of its locks: these are
// taken only to enqueue, and waiting is done without them.

// Synchronous for the host's memory, which may be changed afterwards. Ordered with the GPU's work,
// except copies to idle memory, which are concurrent. Large copies go through page-locked (pinned)
// pieces, filled by all cores while the previous piece is being sent: the driver's own path is
// several times slower.
void copy(Gpu& on, void* to, const void* from, uint64_t bytes, StokerCopyKind kind);

// Enqueues a copy kernel; requires the guard.
void copy_by_kernel(const Gpu& on, void* to, const void* from, uint64_t bytes);

// From or to page-locked memory, concurrent with the GPU's work but after `after`.
StokerTicket copy_beside(Gpu& on, void* to, const void* from, uint64_t bytes, StokerCopyKind kind,
                         StokerTicket after);

// What is enqueued on the copy stream from now on, to or from this memory, waits for `after`.
void begin_beside(Gpu& on, const void* to, const void* from, StokerTicket after);

StokerTicket mark(Gpu& on);  // done when everything enqueued on its stream is done
void finish(Gpu& on);        // waits for that

}  // namespace stoker::cuda
