#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "distribution/collectives_interface.h"
#include "distribution/slice.h"

namespace stoker::distribution {

// The collectives of this process: a group of one until join() has found other processes. No code
// asks whether there are several.
const StokerCollectives& collectives();
inline int rank() { return collectives().rank(); }
inline int size() { return collectives().size(); }
Division division();  // how batches are divided among the ranks
std::string who();    // "rank 1 of 4 on host node7", for messages
// A single process that reduces as several ranks do, to measure the cost (STOKER_GROUP_OF_ONE=1).
bool is_group_of_one();
// While it lives, this program does so without the variable. For one process, on one thread.
class GroupOfOneScope {
 public:
  GroupOfOneScope();
  ~GroupOfOneScope();
  GroupOfOneScope(const GroupOfOneScope&) = delete;
  GroupOfOneScope& operator=(const GroupOfOneScope&) = delete;
  bool adds_in_steps() const { return in_steps_; }  // not through the host's memory

 private:
  bool in_steps_;
};

// Joins the other processes of this training if the environment says that a launcher started
// several, and reports it once. Throws InvalidArgument or DeviceError. Later calls do nothing.
void join();
// Called before a normal exit. Does nothing with one process.
void leave();

// Broadcasts from rank 0 to all ranks.
void broadcast(std::span<std::byte> bytes);
template <class T>
T from_first(T value) {
  broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}
// Throws InvalidArgument on all ranks unless this is equal on all of them, naming one that differs.
// `what`: "the model"; `value`: the text shown for it.
void check_same(const std::string& what, const std::string& value);

}  // namespace stoker::distribution
