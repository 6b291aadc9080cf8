#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace stoker::cuda {

// A cache with one value per key, computed once by the first thread that requests it. Other threads
// wait for the same key, but not for other keys.
template <class T>
class Memo {
 public:
  // make() may throw: then the next caller tries again.
  template <class F>
  T get(const std::string& key, F make) {
    const std::shared_ptr<Entry> entry = entry_of(key);
    const std::lock_guard lock(entry->guard);
    if (!entry->value) entry->value.emplace(make());
    return *entry->value;
  }

 private:
  struct Entry {
    std::mutex guard;
    std::optional<T> value;
  };
  std::shared_ptr<Entry> entry_of(const std::string& key) {
    const std::lock_guard lock(guard_);
    auto& entry = entries_[key];
    if (!entry) entry = std::make_shared<Entry>();
    return entry;
  }

  std::mutex guard_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace stoker::cuda
