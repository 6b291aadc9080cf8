#pragma once
#include "stoker/callback.h"
#include "stoker/config.h"

namespace stoker::callbacks {

struct BackupAndRestoreArgs {
  std::string backup_dir = {};
  Config save_freq = "epoch";      // or a number of batches
  bool double_checkpoint = false;  // keep the backup before the latest, too
  bool delete_checkpoint = true;   // when training has come to its end
};
// Lets a fit that was stopped, by whatever, go on when it is called again: the same weights,
// optimizer, random numbers, place in the data, metrics and history, and what the other callbacks
// remember (those that are Resumable), so that it ends as it would have without. It saves after
// the other callbacks, wherever it stands in the list.
CallbackRef BackupAndRestore(const BackupAndRestoreArgs& args);

}  // namespace stoker::callbacks
