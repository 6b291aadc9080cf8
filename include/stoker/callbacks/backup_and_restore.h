#pragma once
#include "stoker/callback.h"
#include "stoker/config.h"

namespace stoker::callbacks {

struct BackupAndRestoreArgs {
  std::string backup_dir = {};
  Config save_freq = "epoch";      // or a number of batches
  bool double_checkpoint = false;  // as in Keras; the checkpoint before the latest is always kept
  bool delete_checkpoint = true;   // when training has come to its end
};
// Lets a fit that was stopped, by whatever, go on when it is called again, so that it ends exactly
// as it would have without: a checkpoint holds every state that the training steps read or write
// (weights, optimizers, metrics, random numbers), the place in the data, the history, and what the
// other callbacks remember (those that are Resumable). It saves after the other callbacks, wherever
// it stands in the list. The states are copied at once and written while training goes on; an error
// of that, such as a full disk, is thrown at the next save or at the end of fit. A damaged file is
// noticed by its checksum, and the one before it is used.
CallbackRef BackupAndRestore(const BackupAndRestoreArgs& args);

}  // namespace stoker::callbacks
