#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

// The ranks of an emulated communicator, which are threads or processes of one machine: they meet
// in a file that all of them have mapped.
namespace stoker::emulator {

constexpr int most_ranks = 8;
constexpr size_t piece_bytes = size_t{1} << 20;  // that a rank gives at once

// A call of a rank. All ranks must make the same one.
struct GroupCall {
  char name[24];
  uint64_t count;
  int32_t type, op, root;
  int64_t recorded;  // which of the communicator's recorded calls this one replays; -1: none
};

class NcclGroup {
 public:
  // Makes the file; its name is the id.
  static std::string make_id();
  NcclGroup(const std::string& id, int rank, int size);
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  // Waits for all ranks. "", or what is wrong: a rank that is gone or calls something else.
  std::string meet(const GroupCall& call);
  char* piece(int rank) const;  // what a rank has given
  // After the pieces were read: waits until all ranks have read them.
  std::string part();

  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  struct Shared;
  std::string wait_for_all();
  bool is_gone(int rank) const;

  const int rank_, size_;
  Shared* shared_ = nullptr;
  uint64_t meetings_ = 0, calls_ = 0;
};

}  // namespace stoker::emulator
