#pragma once

namespace stoker::distribution {

// Divides a machine's cores and GPUs among the processes of one training that run on it, unless the
// launcher or the user has: threads by STOKER_NUM_THREADS, a GPU for each by STOKER_DEVICE. Throws
// InvalidArgument if there are GPUs, but not one for each, unless NCCL_MULTI_RANK_GPU_ENABLE=1.
void share_machine();

}  // namespace stoker::distribution
