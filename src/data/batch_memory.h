#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace stoker::data {

// A pool of host memory for batches. A block returns to the pool when its last array is destroyed
// and is used for a later batch, so a steady pipeline allocates nothing.
class BatchMemory : public std::enable_shared_from_this<BatchMemory> {
 public:
  BatchMemory() = default;
  virtual ~BatchMemory();
  BatchMemory(const BatchMemory&) = delete;
  BatchMemory& operator=(const BatchMemory&) = delete;

  std::shared_ptr<const std::byte> take(size_t bytes);

 protected:
  using Block = std::shared_ptr<std::byte>;
  virtual Block allocate(size_t bytes);  // aligned for vector instructions; not cleared

 private:
  void give_back(size_t bytes, Block block);

  std::mutex mutex_;
  std::vector<std::pair<size_t, Block>> free_;
};

}  // namespace stoker::data
