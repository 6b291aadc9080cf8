#pragma once
#include <png.h>

#include "io/images/codecs/decode.h"

namespace stoker::images {

// libpng on one file, to 8 bits. As in JpegReader, errors jump back to `guarded`.
class PngReader {
 public:
  explicit PngReader(const Blob& file);  // reads the header
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  ImageSize size() const;
  void check_length() const;  // can a file this short contain so many pixels?
  void start(int channels);
  bool interlaced() const { return passes_ > 1; }
  void read_row(uint8_t* row);                    // in order; not for interlaced files
  void read_image(const Pixels<uint8_t>& image);  // all rows
  void finish();                                  // after the last row
  void expect_an_end();                           // instead of finish, if rows are left

 private:
  static void on_error(png_structp png, png_const_charp message);
  static void on_warning(png_structp, png_const_charp) {}
  static void on_read(png_structp png, png_bytep to, size_t bytes);
  template <class F>
  void guarded(F body);
  void choose_channels(int channels);

  const Blob& file_;
  size_t offset_ = 0;
  char message_[200] = "";
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int passes_ = 1;
};

}  // namespace stoker::images
