#pragma once
#include <string>
#include <vector>

#include "stoker/account.h"
#include "stoker/callback.h"

namespace stoker::nn {

// The display of `--live`: device utilisation, what it waits for, throughput, memory, loss.
class LiveView {
 public:
  struct Now {
    int64_t epoch, epochs, step, steps;  // steps 0: unknown
    const Logs& logs;
    const Account& account;
  };
  // As lines for a terminal; records the loss for its curve.
  std::string draw(const Now& now);

 private:
  static constexpr size_t most = 240;
  void remember(const Logs& logs);
  std::vector<double> losses_;  // downsampled if there are many
};

// ▁▂▃▄▅▆▇█, as many characters as the width; "" for fewer than two values.
std::string sparkline(const std::vector<double>& values, size_t width);

// " - working 38 %, waits for input": the largest part besides work, if significant.
std::string waiting_text(const std::vector<Account::Part>& parts);

}  // namespace stoker::nn
