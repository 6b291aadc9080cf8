#include "stoker/ignore_errors.h"

#include <fmt/format.h>

#include <cstring>
#include <mutex>

#include "data/stage.h"
#include "stoker/interrupt.h"
#include "stoker/say.h"

namespace stoker::data {
namespace {

class IgnoreErrors : public Stage {
 public:
  IgnoreErrors(StageRef before, const IgnoreErrorsArgs& args, const std::source_location& created)
      : Stage("ignore_errors", created), before_(std::move(before)), args_(args) {
    if (args_.max_errors < 0)
      throw InvalidArgument(
          fmt::format("{}: max_errors must not be negative, got {}.", where(), args_.max_errors));
  }
  int64_t cardinality() const override {
    const int64_t elements = before_->cardinality();
    return args_.replacement || !is_finite(elements) || elements == 0 ? elements
                                                                      : UNKNOWN_CARDINALITY;
  }
  std::optional<ElementSpec> spec() const override { return before_->spec(); }
  int64_t batch_rows() const override { return before_->batch_rows(); }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override;
  std::unique_ptr<Cursor> open(const Opening& opening) const override;
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  const IgnoreErrorsArgs& args() const { return args_; }

 private:
  StageRef before_;
  IgnoreErrorsArgs args_;
};

// Counts the failures of one pass.
class Failures {
 public:
  explicit Failures(const IgnoreErrors& stage) : stage_(stage) {}

  // Called in an exception handler: rethrows what must not be ignored.
  void add(int64_t number) {
    try {
      throw;
    } catch (const Interrupted&) {
      throw;
    } catch (const OutOfMemory&) {
      throw;
    } catch (const DeviceError&) {
      throw;
    } catch (const Internal&) {
      throw;
    } catch (Error& error) {
      const std::lock_guard lock(mutex_);
      if (++count_ > stage_.args().max_errors) give_up(error);
      report(number, error);
    }
  }

 private:
  [[noreturn]] void give_up(Error& error) const {
    error.add_where(fmt::format("error number {} of a pass, of which {} ignores {}", count_,
                                stage_.where(), stage_.args().max_errors));
    throw;
  }
  void report(int64_t number, const Error& error) const {
    if (stage_.args().report)
      stage_.args().report(number, error);
    else
      say(stderr, fmt::format("ignored element {}: {}\n", number, error.what()));
  }

  const IgnoreErrors& stage_;
  std::mutex mutex_;
  int64_t count_ = 0;
};

// With a replacement, elements keep their indices.
class Replaced : public Indexed {
 public:
  Replaced(const IgnoreErrors& stage, std::shared_ptr<const Indexed> before)
      : before_(std::move(before)), instead_(*stage.args().replacement), failures_(stage) {}
  int64_t size() const override { return before_->size(); }
  Element at(int64_t i) const override {
    try {
      return before_->at(i);
    } catch (const Error&) {
      failures_.add(i);
      return instead_;
    }
  }
  const ElementSpec* writes() const override {
    const ElementSpec* const written = before_->writes();
    return written && *written == spec_of(instead_) ? written : nullptr;
  }
  void write(int64_t i, const std::vector<std::byte*>& to) const override {
    try {
      before_->write(i, to);
    } catch (const Error&) {
      failures_.add(i);
      for (size_t a = 0; a < to.size(); ++a)
        std::memcpy(to[a], instead_.arrays()[a].raw(), instead_.arrays()[a].bytes());
    }
  }
  void add_origins(int64_t i, std::vector<SampleOrigin>& to) const override {
    before_->add_origins(i, to);
  }

 private:
  std::shared_ptr<const Indexed> before_;
  Element instead_;
  mutable Failures failures_;
};

class InTurn : public Cursor {
 public:
  InTurn(const IgnoreErrors& stage, std::unique_ptr<Cursor> before)
      : stage_(stage), before_(std::move(before)), failures_(stage) {}
  bool next(Element& element) override {
    while (true) {
      try {
        const bool there = before_->next(element);
        ++number_;
        return there;
      } catch (const Error&) {
        failures_.add(number_++);
      }
      if (!stage_.args().replacement) continue;
      element = *stage_.args().replacement;
      return true;
    }
  }
  void add_origins(std::vector<SampleOrigin>& to) const override { before_->add_origins(to); }

 private:
  const IgnoreErrors& stage_;
  std::unique_ptr<Cursor> before_;
  Failures failures_;
  int64_t number_ = 0;
};

std::shared_ptr<const Indexed> IgnoreErrors::index(const Opening& opening) const {
  if (!args_.replacement) return nullptr;
  auto before = before_->index(opening);
  return before ? std::make_shared<Replaced>(*this, std::move(before)) : nullptr;
}

std::unique_ptr<Cursor> IgnoreErrors::open(const Opening& opening) const {
  if (auto replaced = open_by_number(*this, opening)) return replaced;
  auto before = args_.replacement ? before_->open(opening) : before_->open_past_errors(opening);
  return std::make_unique<InTurn>(*this, std::move(before));
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::ignore_errors(const IgnoreErrorsArgs& args, const From& from) const {
  return Dataset(std::make_shared<data::IgnoreErrors>(stage_, args, from));
}
Dataset ignore_errors(const Dataset& dataset, const IgnoreErrorsArgs& args,
                      const std::source_location& from) {
  return dataset.ignore_errors(args, from);
}

}  // namespace stoker
