#include "data/stages/grouping/group_by_window.h"

#include <fmt/format.h>

#include <map>

#include "data/sources/held_elements.h"
#include "data/tuning/byte_account.h"

namespace stoker::data {
namespace {

// As in tf.data: a window is returned as soon as it is full, and smaller ones at the end, by their
// keys.
class Grouped : public Cursor {
 public:
  Grouped(const GroupByWindow& stage, const Opening& opening, std::unique_ptr<Cursor> before)
      : stage_(stage), opening_(opening), before_(std::move(before)), held_(stage.meter()) {}

  bool next(Element& element) override {
    while (true) {
      if (cursor_ && cursor_->next(element)) return true;
      cursor_.reset();  // before the dataset, whose stages it uses
      dataset_.reset();
      if (!read_window()) return false;
    }
  }

 private:
  struct Group {
    int64_t size = 0;  // when it is full
    std::vector<Element> elements;
  };
  // Reads until a window is complete; false: there is none.
  bool read_window() {
    for (Element element; !ended_;) {
      ended_ = !before_->next(element);
      if (ended_) break;
      const int64_t key = stage_.key_of(element, number_++);
      Group& group = groups_[key];
      if (group.elements.empty()) group.size = stage_.size_of(key, number_ - 1);
      held_.add(bytes_of(element));
      group.elements.push_back(std::move(element));
      if (static_cast<int64_t>(group.elements.size()) == group.size) return reduce(key);
    }
    return !groups_.empty() && reduce(groups_.begin()->first);
  }
  bool reduce(int64_t key) {
    std::vector<Element> elements = std::move(groups_.at(key).elements);
    groups_.erase(key);
    for (const Element& element : elements) held_.add(-bytes_of(element));
    dataset_ = stage_.reduced(key, std::move(elements), windows_);
    Opening inner = opening_;
    // each has its own random numbers
    inner.seed += static_cast<uint64_t>(++windows_) * 0x9E3779B97F4A7C15u;
    cursor_ = dataset_->stage()->open(inner);
    return true;
  }

  const GroupByWindow& stage_;
  Opening opening_;
  std::unique_ptr<Cursor> before_;
  Held held_;
  std::map<int64_t, Group> groups_;
  std::optional<Dataset> dataset_;  // of the last window
  std::unique_ptr<Cursor> cursor_;
  int64_t number_ = 0, windows_ = 0;
  bool ended_ = false;
};

}  // namespace

GroupByWindow::GroupByWindow(StageRef before, Grouping grouping, const char* name,
                             const std::source_location& created)
    : Stage(name, created), before_(std::move(before)), grouping_(std::move(grouping)) {}

std::unique_ptr<Cursor> GroupByWindow::open(const Opening& opening) const {
  return std::make_unique<Grouped>(*this, opening, before_->open(opening));
}

int64_t GroupByWindow::key_of(const Element& element, int64_t number) const {
  const std::unique_lock turn(turns_);
  return call_for_element(*this, number, [&] { return grouping_.key(element); });
}

int64_t GroupByWindow::size_of(int64_t key, int64_t number) const {
  const std::unique_lock turn(turns_);
  return call_for_element(*this, number, [&] {
    const int64_t size = grouping_.size(key);
    if (size < 1)
      throw InvalidArgument(
          fmt::format("the window size must be positive, got {} for key {}.", size, key));
    return size;
  });
}

Dataset GroupByWindow::reduced(int64_t key, std::vector<Element> elements, int64_t number) const {
  const Dataset window = dataset_of(std::move(elements), name(), created());
  const std::unique_lock turn(turns_);
  try {
    const CurrentCall call(name(), created(), number);
    return grouping_.reduce(key, window);
  } catch (Error& error) {
    error.add_where(fmt::format("window {} of {}", number, where()));
    throw;
  } catch (const std::exception& error) {
    throw_of_user(*this, number, error.what());
  }
}

}  // namespace stoker::data

namespace stoker {

Dataset Dataset::group_element(Grouping grouping, const From& from) const {
  return Dataset(std::make_shared<data::GroupByWindow>(
      stage_,
      data::Grouping{std::move(grouping.key), std::move(grouping.size), std::move(grouping.reduce)},
      "group_by_window", from));
}

}  // namespace stoker
