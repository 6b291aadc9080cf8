#pragma once
#include <functional>
#include <string>
#include <vector>

#include "stoker/headroom.h"
#include "stoker/stoker.h"

// Programs whose authors ask why their GPU is idle, and their improved forms.
namespace stoker::programs {

// The same program after one advice was followed.
struct Followed {
  std::vector<std::string> causes;  // of the advice
  std::string change;
  std::function<Account()> run;
};

struct Program {
  std::string question, name;        // its source, and what it shows
  std::function<Account()> written;  // as its author wrote it
  std::vector<Followed> followed = {};
};

inline bool on_gpu = false;  // where they run

std::vector<Program> fits();   // those that call fit
std::vector<Program> loops();  // those with their own loop

struct Data {
  Array x, y;
};
Data digits(int64_t count);                // 784 numbers each, one of ten classes
Data images(int64_t count, int64_t side);  // side × side × 3

Sequential dense(int64_t units, int64_t layers = 1);  // 784 → units … → 10, compiled

}  // namespace stoker::programs
