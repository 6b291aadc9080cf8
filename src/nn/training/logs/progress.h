#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "ledger/ledger.h"
#include "stoker/callback.h"

namespace stoker::nn {

// The progress line of an epoch: redrawn on a terminal, otherwise printed once at the end.
class Progress {
 public:
  Progress(int verbose, int64_t steps);  // steps 0: unknown
  void set_steps(int64_t steps) { steps_ = steps; }
  void begin_epoch(int64_t epoch, int64_t epochs);
  void begin();  // evaluate and predict have no epochs
  bool due(ledger::Time now) const { return live_ && now >= next_draw_; }
  // `per_step` in seconds; by default the average since begin(). `waits`: device utilisation and
  // what it waits for, at the end of the line.
  void draw(int64_t step, std::optional<double> per_step, const Logs& logs,
            const std::string& waits = {});
  bool live_view() const { return live_ && verbose_ == 3; }
  // Overwrites several lines.
  void draw_lines(const std::string& text);
  // With the epoch's final values. An interrupted epoch is marked.
  void finish(int64_t steps, std::optional<double> per_step, const Logs& logs, bool whole = true);

 private:
  struct Line {
    int64_t step;
    std::optional<double> per_step;
    const Logs& logs;
    bool done;
    std::string waits;
  };
  std::string to_text(const Line& line, bool with_bar) const;
  void show(const std::string& text);
  int verbose_;
  int64_t steps_;
  bool live_;
  ledger::Time start_ = 0, next_draw_ = 0;
  size_t drawn_ = 0;   // characters on the line now
  int64_t lines_ = 0;  // of the live view
};

// A wrapped line cannot be overwritten: what does not fit is cut off.
std::string cut_to_width(const std::string& text, size_t width);
std::string format_logs(const Logs& logs);    // " - accuracy: 0.8312 - loss: 0.4711"
std::string format_duration(double seconds);  // "431us", "12ms", "3s", "1:05"

}  // namespace stoker::nn
