#pragma once
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Rules as data: conditions on named figures → cause, sentence, remedy, bound on the gain. The
// table of `stoker why` is observe/why_rules.cpp; another account of time can have one of its own.
namespace stoker::ledger {

// Measurements by name. A figure that could not be measured is absent, never zero.
class Figures {
 public:
  // flag: 0 or 1; decides which rule holds, and is no evidence.
  enum class Unit { share, count, cores, seconds, bytes, bytes_per_second, ratio, flag };
  struct Figure {
    std::string name;
    double value;
    Unit unit;
  };

  void set(std::string_view name, double value, Unit unit);
  std::optional<double> find(std::string_view name) const;
  bool is_flag(std::string_view name) const;
  // A text for sentences, such as a stage's name.
  void set_text(std::string_view name, std::string text);
  // "38 %", "1.2 GB/s", or what set_text gave; "unknown" where absent
  std::string text(std::string_view name) const;
  const std::vector<Figure>& all() const { return all_; }

 private:
  std::vector<Figure> all_;
  std::vector<std::pair<std::string, std::string>> texts_;
};
std::string to_text(double value, Figures::Unit unit);
const char* name_of(Figures::Unit unit);

struct Condition {
  enum class Test { at_least, below, absent };
  std::string_view figure;
  Test test;
  double value = 0;
  bool or_absent = false;  // also holds if the figure could not be measured
};

// An upper bound of the speed-up, from the figures; nothing if unknown.
using Bound = std::optional<double> (*)(const Figures&);

// Predicted seconds of a step after a change: expected value and range.
struct Prediction {
  double likely = 0, low = 0, high = 0;
};
using Predict = std::optional<Prediction> (*)(const Figures&);

struct Rule {
  std::string_view cause;     // a name that programs can compare
  std::string_view sentence;  // {figure} is replaced by the figure's text
  std::string_view remedy;
  std::vector<Condition> when;         // all must hold
  std::vector<std::string_view> show;  // figures behind it, besides those of the conditions
  Bound bound = nullptr;
  std::string_view bound_text = "";  // how the bound is computed, for people
  Predict predict = nullptr;
  std::string_view predict_text = "";  // how, for people
  std::string_view place = "";         // where to change it, such as "{stage_place}"
  std::string_view apply = "";         // the setting to change, such as "fit.batch_size={batch}"
  bool observed = true;                // else inferred
  bool machine = false;                // the change concerns the machine, not the program
};

struct Verdict {
  std::string cause, sentence, remedy;
  std::vector<std::pair<std::string, std::string>> evidence;  // figure → text
  std::optional<double> bound;
  std::optional<Prediction> predicted;
  std::string place, apply;
  bool observed = true, machine = false;
};

bool holds(const Condition& condition, const Figures& figures);
bool holds(const Rule& rule, const Figures& figures);
// The verdicts of the rules that hold, in the table's order, each cause once.
std::vector<Verdict> judge(std::span<const Rule> rules, const Figures& figures);
std::string fill_in(std::string_view sentence, const Figures& figures);

// The rules as rows of a Markdown table: cause, when, sentence, remedy, and how the bound or the
// prediction is computed.
std::string to_markdown(std::span<const Rule> rules);

}  // namespace stoker::ledger
