#include "io/packed/packed_writer.h"

#include "core/round_up.h"
#include "io/crc32c.h"
#include "io/packed/element_config.h"
#include "io/packed/packed_layout.h"

namespace stoker {
namespace {

using namespace packed;

constexpr size_t buffer_size = 1 << 20;

template <class T>
uint64_t sum_of(const T& values) {
  return crc32c(std::as_bytes(std::span(values)));
}

}  // namespace

void PackedWriter::begin() {
  put(magic.data(), magic.size());
  put(version);
}

void PackedWriter::put(const void* bytes, size_t count) {
  const auto* const from = static_cast<const std::byte*>(bytes);
  buffer_.insert(buffer_.end(), from, from + count);
}

void PackedWriter::pad(size_t alignment) {
  buffer_.resize(buffer_.size() + round_up(bytes(), alignment) - bytes());
}

void PackedWriter::flush() {
  file_.write(buffer_);
  written_ += buffer_.size();
  buffer_.clear();
}

void PackedWriter::put_texts(const Array& texts) {
  uint64_t end = 0;
  for (int64_t i = 0; i < texts.size(); ++i) put(end += texts.text(i).size());
  for (int64_t i = 0; i < texts.size(); ++i) put(texts.text(i).data(), texts.text(i).size());
}

void PackedWriter::add(const Element& element) {
  pad(record_alignment);
  const size_t offset = bytes(), in_buffer = buffer_.size();
  for (const Array& array : element.arrays()) {
    for (const int64_t dim : array.shape()) put(static_cast<uint64_t>(dim));
    pad(array_alignment);
    if (array.holds_strings())
      put_texts(array);
    else
      put(array.raw(), array.bytes());
    pad(array_alignment);
  }
  const auto record = std::span(buffer_).subspan(in_buffer);
  table_.insert(table_.end(), {offset, record.size(), sum_of(record)});
  if (buffer_.size() >= buffer_size) flush();
}

void PackedWriter::finish(const ElementSpec& spec, const Config& notes) {
  const size_t description = bytes();
  const std::string text = Config::map({{"spec", to_config(spec)}, {"notes", notes}}).to_string();
  put(text.data(), text.size());
  put(table_.data(), table_.size() * sizeof table_[0]);
  put_end(description, text);
  flush();
  file_.commit();
}

void PackedWriter::put_end(size_t description, const std::string& text) {
  const std::vector<uint64_t> numbers{
      description, text.size(), sum_of(text), static_cast<uint64_t>(size()), sum_of(table_), 0};
  put(numbers.data(), numbers.size() * sizeof numbers[0]);
  put(sum_of(numbers));
  put(magic.data(), magic.size());
}

}  // namespace stoker
