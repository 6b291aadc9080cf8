#include "recipe/record_keeper.h"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <thread>

#include "core/main_process.h"
#include "ledger/account.h"
#include "nn/model_impl.h"

namespace stoker::nn {
namespace {

// Writes records in a thread. While the training thread gives it no new facts (it compiles, waits
// for input, validates, or runs one long step), the time is added to what it is doing.
class LiveRecord {
 public:
  using Write = std::function<void(const RunRecord&)>;
  LiveRecord(const ledger::Ledger& ledger, Write write, RunRecord run, ledger::RunFacts facts)
      : ledger_(ledger),
        write_(std::move(write)),
        run_(std::move(run)),
        facts_(std::move(facts)),
        thread_([this] { work(); }) {}
  ~LiveRecord() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  LiveRecord(const LiveRecord&) = delete;
  LiveRecord& operator=(const LiveRecord&) = delete;

  void update(RunRecord run, ledger::RunFacts facts) {
    {
      const std::lock_guard lock(mutex_);
      run_ = std::move(run);
      facts_ = std::move(facts);
      known_until_ = ledger::now();
      is_new_ = true;
    }
    changed_.notify_all();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (!ends_ || is_new_) {
      const bool woken =
          changed_.wait_for(lock, std::chrono::seconds(1), [this] { return is_new_ || ends_; });
      if (!woken) add_time();
      if (is_new_) write(lock);
    }
  }

  void add_time() {
    const ledger::Time now = ledger::now(), passed = std::max<ledger::Time>(now - known_until_, 0);
    known_until_ = now;
    is_new_ = true;
    facts_.wall += passed;
    const ledger::Activity doing = ledger_.doing();
    if (facts_.measured) add(doing, passed, *facts_.measured);
    if (doing != ledger::Activity::count) facts_.host[static_cast<size_t>(doing)] += passed;
  }
  static void add(ledger::Activity doing, ledger::Time passed, ledger::DeviceTime& device) {
    if (doing == ledger::Activity::step)
      device.busy += passed;
    else if (doing == ledger::Activity::count)
      device.launch += passed;
    else
      device.idle[static_cast<size_t>(doing)] += passed;
  }

  void write(std::unique_lock<std::mutex>& lock) {
    is_new_ = false;
    RunRecord run = run_;
    const ledger::RunFacts facts = facts_;
    lock.unlock();
    try {
      run.account = ledger::account_of(facts);
      run.account_line = ledger::line_of(facts.wall, facts.host);
      write_(run);
    } catch (const std::exception&) {  // such as no memory: the next one is tried
    }
    lock.lock();
  }

  const ledger::Ledger& ledger_;
  const Write write_;
  std::mutex mutex_;
  std::condition_variable changed_;
  RunRecord run_;
  ledger::RunFacts facts_;
  ledger::Time known_until_ = ledger::now();
  bool is_new_ = false, ends_ = false;
  std::thread thread_;
};

}  // namespace

void RecordKeeper::on_train_begin(const Logs&) {
  if (!is_main_process()) return;
  Session& session = *model().impl().fits.running;
  const auto save = [path = path_, files = files_](const RunRecord& run) {
    files->write(path, [&] { save_run(path, run); });
  };
  const ledger::RunFacts begun = session.facts_so_far();
  const RunRecord first = make_(begun);
  std::error_code ignored;
  if (std::filesystem::exists(path_, ignored)) save(first);
  const auto live = std::make_shared<LiveRecord>(session.ledger, save, first, begun);
  session.each_second = [this, &session, record = live.get()] {
    const ledger::RunFacts facts = session.facts_so_far();
    record->update(make_(facts), facts);
  };
  session.watcher = live;
}

void RecordKeeper::finish() {
  if (!is_main_process()) return;
  files_->write(path_, [&] { save_run(path_, make_(model().impl().fits.last.times)); });
}

}  // namespace stoker::nn
