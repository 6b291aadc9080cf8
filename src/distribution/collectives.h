#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "distribution/collectives_interface.h"
#include "distribution/slice.h"

namespace stoker::distribution {

// The collectives of this process: those of a program that runs alone until join() has found
// others. No code asks whether there are several.
const StokerCollectives& collectives();
inline int rank() { return collectives().rank(); }
inline int size() { return collectives().size(); }
Division division();  // of batches among the ranks
std::string who();    // "rank 1 of 4 on host node7", for messages
// A program that runs alone but adds as several ranks do, to measure what that costs
// (STOKER_GROUP_OF_ONE=1).
bool is_group_of_one();

// Joins the other processes of this training if a launcher started this one with others, as the
// environment tells, and says so once. Throws InvalidArgument or DeviceError. Doing it again
// changes nothing.
void join();
// Called before a normal exit. Does nothing with one process.
void leave();

// Of rank 0, to all.
void broadcast(std::span<std::byte> bytes);
template <class T>
T from_first(T value) {
  broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}
// Throws InvalidArgument on all ranks if this is not the same on all of them, naming one that
// differs. `what`: "the model"; `value`: what to show of it.
void check_same(const std::string& what, const std::string& value);

}  // namespace stoker::distribution
