#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace stoker::cuda {

// A value for each key, made once by the first thread that asks for it. Others that want the same
// one wait; others that want another one do not.
template <class T>
class Memo {
 public:
  // make() may throw: then the next one who asks tries again.
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
