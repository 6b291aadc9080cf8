#pragma once
#include <string>
#include <vector>

#include "stoker/account.h"
#include "stoker/callback.h"

namespace stoker::nn {

// What `--live` shows: how busy the device is, what it waits for, throughput, memory, the loss.
class LiveView {
 public:
  struct Now {
    int64_t epoch, epochs, step, steps;  // steps 0: not known
    const Logs& logs;
    const Account& account;
  };
  // As lines of a terminal; remembers the loss for its curve.
  std::string draw(const Now& now);

 private:
  static constexpr size_t most = 240;
  void remember(const Logs& logs);
  std::vector<double> losses_;  // thinned out when there are many
};

// ▁▂▃▄▅▆▇█, as many characters as the width; "" for fewer than two values.
std::string sparkline(const std::vector<double>& values, size_t width);

// " - working 38 %, waits for input": the largest part besides the work, where it is worth saying.
std::string waiting_text(const std::vector<Account::Part>& parts);

}  // namespace stoker::nn
