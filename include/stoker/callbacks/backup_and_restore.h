#pragma once
#include "stoker/callback.h"
#include "stoker/config.h"

namespace stoker::callbacks {

struct BackupAndRestoreArgs {
  std::string backup_dir = {};
  Config save_freq = "epoch";      // or a number of batches
  bool double_checkpoint = false;  // as in Keras; the previous checkpoint is always kept
  bool delete_checkpoint = true;   // when training has finished
};
// Makes fit resumable: if it was stopped for any reason, calling it again continues and ends with
// exactly the same results as an uninterrupted run. A checkpoint contains every state that the
// training steps read or write (weights, optimizers, metrics, random numbers), the position in the
// data, the history, and the states of other callbacks (those that are Resumable). It is saved
// after the other callbacks have run, regardless of the position in the list. The states are copied
// immediately and written in the background; a write error, such as a full disk, is thrown at the
// next save or at the end of fit. A damaged file is detected by its checksum, and the previous one
// is used.
CallbackRef BackupAndRestore(const BackupAndRestoreArgs& args);

}  // namespace stoker::callbacks
