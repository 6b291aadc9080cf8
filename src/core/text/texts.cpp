#include "core/text/texts.h"

#include "core/text/interned_strings.h"

namespace stoker {

void Texts::reserve(size_t count, size_t bytes) {
  ends_.reserve(count);
  bytes_.reserve(bytes);
}

void Texts::add(std::string_view text) {
  bytes_ += text;
  ends_.push_back(bytes_.size());
}

const int64_t* Texts::ids() const {
  std::call_once(once_, [this] {
    ids_.reserve(size());
    for (size_t i = 0; i < size(); ++i) ids_.push_back(id_of_text((*this)[i]));
  });
  return ids_.data();
}

}  // namespace stoker
