#include "ranks/id_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

#include "libraries/library.h"

namespace stoker::cuda {
namespace {

using Number = uint64_t;  // 0: there is none

std::string path_of(const IdFile& file, int rank) { return fmt::format("{}.{}", file.path, rank); }

// Readers see the complete file or none.
void write(const std::string& path, const std::string& bytes) {
  const std::string part = fmt::format("{}.part{}", path, ::getpid());
  std::ofstream out(part, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(part, path, failed);
  if (!out || failed)
    throw CudaError(
        fmt::format("cannot write {}, the file through which the ranks find each other.", path));
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  if (in) bytes << in.rdbuf();
  return bytes.str();
}

Number number_in(const std::string& bytes, size_t at) {
  Number number = 0;
  if (bytes.size() >= at + sizeof number) std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// Polls until `done` returns true or the time is over.
template <class Done>
bool wait_until(double seconds, Done done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// The id, then the numbers of all ranks.
std::string answer(const NcclId& id, const std::vector<Number>& numbers) {
  std::string bytes(id.bytes, sizeof id.bytes);
  for (const Number number : numbers)
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  return bytes;
}

// Rather than after the others were waited for.
void check_writable(const IdFile& file) {
  const std::string path = path_of(file, file.rank);
  write(path, "");
  std::filesystem::remove(path);
}

void give(const IdFile& file, const NcclId& id) {
  check_writable(file);
  std::vector<Number> numbers(static_cast<size_t>(file.size)), answered = numbers;
  std::vector<int> late;
  const auto all_have_it = [&] {
    late.clear();
    bool waiting = false;
    for (int rank = 1; rank < file.size; ++rank) {
      Number& number = numbers[static_cast<size_t>(rank)];
      if (const Number found = number_in(read(path_of(file, rank)), 0))
        number = found, waiting = true;
      if (number == 0) late.push_back(rank);
    }
    if (!late.empty()) return false;
    if (numbers != answered) write(file.path, answer(id, answered = numbers));
    return !waiting;
  };
  if (!wait_until(file.timeout_seconds, all_have_it))
    throw CudaError(late.empty()
                        ? fmt::format("{} was not read by all ranks within {} s.", file.path,
                                      file.timeout_seconds)
                        : fmt::format("rank {} did not appear at {} within {} s.",
                                      fmt::join(late, ", "), file.path, file.timeout_seconds));
  std::filesystem::remove(file.path);
}

void take(const IdFile& file, NcclId& id) {
  const Number own = (Number{std::random_device{}()} << 32) | std::random_device{}() | 1;
  const std::string path = path_of(file, file.rank);
  write(path, std::string(reinterpret_cast<const char*>(&own), sizeof own));
  const size_t at = sizeof id.bytes + static_cast<size_t>(file.rank) * sizeof own;
  std::string bytes;
  const bool there = wait_until(file.timeout_seconds, [&] {
    bytes = read(file.path);
    return number_in(bytes, at) == own;
  });
  std::filesystem::remove(path);
  if (!there)
    throw CudaError(fmt::format("rank 0 did not answer rank {} in {} within {} s.", file.rank,
                                file.path, file.timeout_seconds));
  std::memcpy(id.bytes, bytes.data(), sizeof id.bytes);
}

}  // namespace

void exchange_id(const IdFile& file, NcclId& id) {
  if (file.rank == 0)
    give(file, id);
  else
    take(file, id);
}

}  // namespace stoker::cuda
