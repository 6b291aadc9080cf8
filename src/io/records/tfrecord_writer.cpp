#include "io/records/tfrecord_writer.h"

#include "io/records/tfrecord_frame.h"

namespace stoker {

TFRecordWriter::TFRecordWriter(std::string path) : file_(std::move(path)) {}

void TFRecordWriter::write(std::string_view record) {
  constexpr size_t enough = size_t{1} << 20;
  waiting_ += tfrecord::header(record.size());
  waiting_ += record;
  waiting_ += tfrecord::footer(record);
  ++records_;
  if (waiting_.size() >= enough) flush();
}

void TFRecordWriter::flush() {
  file_.write(waiting_);
  waiting_.clear();
}

void TFRecordWriter::close() {
  flush();
  file_.commit();
}

}  // namespace stoker
