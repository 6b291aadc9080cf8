#include "data/stages/read_ahead.h"

#include "data/sources/slices.h"
#include "data/work_size.h"
#include "stoker/interrupt.h"

namespace stoker::data {
namespace {

// Elements in groups: rows if the cursor gives them, else tuples.
class Groups : public Cursor {
 public:
  explicit Groups(std::unique_ptr<Cursor> before) : before_(std::move(before)) {}

  bool next(Element& group) override {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if (before_->gives_rows()) return next_of_rows(group);
    std::vector<Element> elements;
    const int64_t wanted = work_size_.elements(most_elements);
    work_size_.run(wanted, [&] {
      for (Element element; static_cast<int64_t>(elements.size()) < wanted && read(element);)
        elements.push_back(std::move(element));
    });
    if (elements.empty() && error_) std::rethrow_exception(std::exchange(error_, nullptr));
    group = Element::tuple(elements);
    return !elements.empty();
  }

 private:
  // An error is thrown after the elements before it were handed over. The cursor keeps these rows.
  bool next_of_rows(Element& rows) try {
    return before_->next_rows(rows, most_rows);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    error_ = std::current_exception();
    if (before_->next_rows(rows, 0)) return true;
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
  bool read(Element& element) try { return before_->next(element); } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    error_ = std::current_exception();
    return false;
  }

  static constexpr int64_t most_rows = 256, most_elements = 64;
  std::unique_ptr<Cursor> before_;
  WorkSize work_size_;
  std::exception_ptr error_;
};

}  // namespace

ReadAhead::ReadAhead(std::unique_ptr<Cursor> before, ReaderThreads& threads)
    : threads_(threads),
      by_rows_(before->gives_rows()),
      groups_(threads.add(std::make_unique<Groups>(std::move(before)))) {}

bool ReadAhead::next(Element& element) {
  while (at_ == size_) {
    at_ = size_ = 0;
    if (!threads_.next(*groups_, group_)) return false;
    size_ = by_rows_ ? group_.arrays()[0].length() : static_cast<int64_t>(group_.size());
  }
  element = by_rows_ ? row_of(group_, at_) : group_[static_cast<size_t>(at_)];
  ++at_;
  return true;
}

}  // namespace stoker::data
