#include "compile_ahead.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

namespace stoker::cuda {
namespace {

class Compilers {
 public:
  // Destroyed before NVRTC, which was opened earlier; queued compilations are dropped.
  ~Compilers() {
    {
      const std::lock_guard lock(guard_);
      waiting_.clear();
      over_ = true;
    }
    wake_.notify_all();
  }

  void add(const std::shared_ptr<Function>& function, const Gpu& gpu) {
    const std::lock_guard lock(guard_);
    if (!seen_.emplace(function.get(), &gpu).second) return;
    waiting_.push_back({function, &gpu});
    if (threads_.size() < std::max(1u, std::thread::hardware_concurrency()))
      threads_.emplace_back([this] { work(); });
    else
      wake_.notify_one();
  }

 private:
  struct Text {
    std::shared_ptr<Function> function;
    const Gpu* gpu;
  };

  void work() {
    std::unique_lock lock(guard_);
    while (true) {
      wake_.wait(lock, [&] { return over_ || !waiting_.empty(); });
      if (over_) return;
      const Text text = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      try {
        compile_text(text.function->text(), *text.gpu, text.function->options());
      } catch (const std::exception&) {  // reported when it is launched
      }
      lock.lock();
    }
  }

  std::mutex guard_;
  std::condition_variable wake_;
  std::deque<Text> waiting_;
  std::set<std::pair<const Function*, const Gpu*>> seen_;
  bool over_ = false;
  std::vector<std::jthread> threads_;  // destroyed first: joins
};

}  // namespace

void compile_ahead(const std::vector<std::shared_ptr<Function>>& functions, const Gpu& gpu) {
  if (functions.empty()) return;
  nvrtc();  // opened before the threads, closed after them
  static Compilers compilers;
  for (const auto& function : functions) compilers.add(function, gpu);
}

}  // namespace stoker::cuda
