#pragma once
// clang-format off
#include <csetjmp>
#include <cstdio>
#include <jpeglib.h>  // needs <cstdio> before it
// clang-format on

#include "io/images/codecs/decode.h"

namespace stoker::images {

// libjpeg-turbo on one file. The library reports errors by a function that must not return: it
// jumps back (longjmp) to `guarded`, which throws. So nothing inside `guarded` may own resources.
class JpegReader {
 public:
  explicit JpegReader(const Blob& file);  // reads the header
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  ImageSize size() const;
  void check_length() const;  // can a file this short contain so many pixels?
  void start(int channels, int scale, bool accurate);  // at 1 / scale of the size
  ImageSize scaled_size() const;                       // of the whole image, after start
  void keep_columns(int64_t left, int64_t width);
  void skip_rows(int64_t rows);
  void read_rows(const Pixels<uint8_t>& rows);  // of kept_width()
  int64_t kept_left() const { return kept_left_; }
  int64_t kept_width() const { return info_.output_width; }
  void finish();         // after the last row
  void expect_an_end();  // instead of finish, if rows are left

 private:
  struct ErrorManager : jpeg_error_mgr {
    std::jmp_buf back;
    char message[JMSG_LENGTH_MAX];
    bool in_header = true, at_end = false;
  };
  static void on_error(j_common_ptr info);
  static void on_message(j_common_ptr info, int level);
  static void on_progress(j_common_ptr info);
  template <class F>
  void guarded(F body);
  [[noreturn]] void fail();
  size_t offset() const;
  void read_cmyk_rows(const Pixels<uint8_t>& rows);

  const Blob& file_;
  jpeg_decompress_struct info_{};
  ErrorManager errors_{};
  jpeg_progress_mgr progress_{};
  int channels_ = 0;
  int64_t kept_left_ = 0;
};

}  // namespace stoker::images
