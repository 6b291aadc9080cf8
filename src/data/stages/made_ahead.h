#pragma once
#include "data/stage.h"
#include "data/window.h"

namespace stoker::data {

// Elements made by several threads and returned in order. An error takes the place of its element;
// those behind it follow.
class MadeAhead : public Cursor {
 public:
  MadeAhead(const Stage& stage, std::shared_ptr<const Indexed> elements, const Opening& opening)
      : elements_(std::move(elements)),
        window_(*opening.workers, stage.meter(),
                static_cast<size_t>(calls_at_once(stage, 2 * opening.workers->size()))) {}
  bool next(Element& element) override {
    while (!window_.full() && number_ < elements_->size()) add();
    if (window_.empty()) return false;
    element = std::move(*window_.take());
    return true;
  }

 private:
  void add() {
    window_.add(std::make_shared<Element>(),
                [this, i = number_++](Element& made) { made = elements_->at(i); });
  }

  std::shared_ptr<const Indexed> elements_;
  int64_t number_ = 0;
  Window<Element> window_;  // last member: its jobs use the others
};

}  // namespace stoker::data
