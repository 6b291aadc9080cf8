#include "watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace stoker::mpi {
namespace {

constexpr int report_tag = 1;
constexpr auto answer_time = std::chrono::seconds(2);
constexpr auto interval = std::chrono::milliseconds(100);
constexpr int64_t was_stopped = 2'000'000'000;  // nanoseconds between two looks

std::string in_step(int64_t step) {
  return step < 0 ? "before its first step" : fmt::format("in step {}", step);
}

}  // namespace

Watch::Watch(double timeout_seconds, std::vector<std::string> hosts, bool may_talk)
    : timeout_(timeout_seconds), hosts_(std::move(hosts)), may_talk_(may_talk) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm_dup(MPI_COMM_WORLD, &reports_);
  thread_ = std::thread([this] { look(); });
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

int64_t Watch::now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// While this process itself was stopped, as by Slurm's suspend or Ctrl-Z, the others may have been
// stopped, too: that time does not count.
void Watch::look() {
  std::unique_lock lock(mutex_);
  int64_t last = now(), call = 0, stopped = 0;  // of the call that has begun then
  while (!changed_.wait_for(lock, interval, [this] { return ends_; })) {
    const int64_t since = since_.load(std::memory_order_relaxed), at = now();
    if (std::exchange(call, since) != since) stopped = 0;
    if (at - last > was_stopped) stopped += at - std::max(last, since);
    last = at;
    if (since != 0 && static_cast<double>(at - since - stopped) * 1e-9 > timeout_) end_all();
  }
}

std::string Watch::rank_on_host(int64_t rank) const {
  return fmt::format("rank {} on host {}", rank, hosts_[static_cast<size_t>(rank)]);
}

std::string Watch::where() const {
  return rank_on_host(rank_) + " " + in_step(step_.load(std::memory_order_relaxed));
}

void Watch::end_all() {
  const Report own{rank_, step_.load(), calls_.load()};
  const std::vector<Report> reports = may_talk_ ? ask_others(own) : std::vector{own};
  // The first waiting rank reports for all; the others give it time to do so.
  if (reports[0].rank == rank_)
    std::fprintf(stderr, "stoker: %s\n", verdict(reports).c_str());
  else
    std::this_thread::sleep_for(answer_time);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

std::vector<Watch::Report> Watch::ask_others(const Report& own) const {
  std::vector<Report> reports{own};
  std::vector<MPI_Request> sent(static_cast<size_t>(size_), MPI_REQUEST_NULL);
  for (int other = 0; other < size_; ++other)
    if (other != rank_)
      MPI_Isend(&own, sizeof own, MPI_BYTE, other, report_tag, reports_,
                &sent[static_cast<size_t>(other)]);
  const auto until = std::chrono::steady_clock::now() + answer_time;
  while (std::chrono::steady_clock::now() < until && std::ssize(reports) < size_) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, report_tag, reports_, &there, &status);
    if (!there) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      continue;
    }
    Report& report = reports.emplace_back();
    MPI_Recv(&report, sizeof report, MPI_BYTE, status.MPI_SOURCE, report_tag, reports_,
             MPI_STATUS_IGNORE);
  }
  std::ranges::sort(reports, {}, &Report::rank);
  return reports;
}

std::string Watch::verdict(const std::vector<Report>& reports) const {
  std::vector<std::string> late;
  for (int rank = 0; rank < size_; ++rank)
    if (std::ranges::find(reports, rank, &Report::rank) == reports.end())
      late.push_back(rank_on_host(rank));
  std::string waiting;
  for (const Report& report : reports)
    waiting += fmt::format("{}{} waits {} (call {})", waiting.empty() ? "" : ", ",
                           rank_on_host(report.rank), in_step(report.step), report.calls);
  if (late.empty())
    return fmt::format("the ranks are out of step for {} s: {}. All ranks are terminated.",
                       timeout_, waiting);
  return fmt::format("{} did not arrive within {} s: {}. All ranks are terminated.",
                     fmt::join(late, " and "), timeout_, waiting);
}

}  // namespace stoker::mpi
