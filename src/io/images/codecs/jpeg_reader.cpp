#include "io/images/codecs/jpeg_reader.h"

#include <fmt/format.h>
#include <jerror.h>

#include <algorithm>

namespace stoker::images {
namespace {

constexpr int max_scans =
    500;  // a progressive file has about ten scans; each costs a pass over the image
constexpr const char* hint =
    "the file is damaged or incomplete: get it again, or convert it with another program.";

// JPEG's luma; the same fixed-point arithmetic as the library's own conversion.
uint8_t gray_of(int r, int g, int b) {
  return static_cast<uint8_t>((19595 * r + 38470 * g + 7471 * b + 32768) >> 16);
}

// Files with Adobe's marker store inverted CMYK.
void convert_cmyk(const uint8_t* from, bool inverted, const Pixels<uint8_t>& to) {
  for (int64_t x = 0; x < to.width; ++x, from += 4) {
    const auto ink = [&](int i) { return inverted ? from[i] : 255 - from[i]; };
    const int k = ink(3), r = k * ink(0) / 255, g = k * ink(1) / 255, b = k * ink(2) / 255;
    uint8_t* pixel = to.at(0, x);
    if (to.channels == 1) {
      *pixel = gray_of(r, g, b);
    } else {
      pixel[0] = static_cast<uint8_t>(r);
      pixel[1] = static_cast<uint8_t>(g);
      pixel[2] = static_cast<uint8_t>(b);
      if (to.channels == 4) pixel[3] = 255;
    }
  }
}

}  // namespace

// Called by the library; jumps over its stack frames, which own nothing.
void JpegReader::on_error(j_common_ptr info) {
  auto& errors = static_cast<ErrorManager&>(*info->err);
  errors.format_message(info, errors.message);
  std::longjmp(errors.back, 1);
}

// Level -1 is a warning: the library has found damage and would continue with invented pixels.
void JpegReader::on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  auto& errors = static_cast<ErrorManager&>(*info->err);
  const int code = errors.msg_code;
  errors.at_end = code == JWRN_JPEG_EOF;
  const bool harmless = code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM ||
                        (code == JWRN_EXTRANEOUS_DATA && errors.in_header);
  if (!harmless) on_error(info);
}

void JpegReader::on_progress(j_common_ptr info) {
  const auto* decompressed = reinterpret_cast<j_decompress_ptr>(info);
  if (decompressed->input_scan_number <= max_scans) return;
  auto& errors = static_cast<ErrorManager&>(*info->err);
  std::snprintf(errors.message, sizeof errors.message, "more than %d scans", max_scans);
  std::longjmp(errors.back, 1);
}

template <class F>
void JpegReader::guarded(F body) {
  static_assert(std::is_trivially_destructible_v<F>);
  if (setjmp(errors_.back) != 0) fail();
  body();
}

size_t JpegReader::offset() const {
  if (errors_.at_end) return file_.size();
  return info_.src ? file_.size() - std::min(info_.src->bytes_in_buffer, file_.size()) : 0;
}

void JpegReader::fail() { file_.fail(offset(), fmt::format("JPEG: {}.", errors_.message), hint); }

JpegReader::JpegReader(const Blob& file) : file_(file) {
  info_.err = jpeg_std_error(&errors_);
  errors_.error_exit = on_error;
  errors_.emit_message = on_message;
  progress_.progress_monitor = on_progress;
  try {
    guarded([this] {
      jpeg_create_decompress(&info_);
      info_.progress = &progress_;
      jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file_.data()), file_.size());
      jpeg_read_header(&info_, TRUE);
    });
    if (info_.arith_code)
      file_.fail(0, "JPEG: arithmetic coding is not supported.",
                 "convert it with: jpegtran in.jpg > out.jpg");
  } catch (...) {  // the destructor does not run if the constructor throws
    jpeg_destroy_decompress(&info_);
    throw;
  }
}

ImageSize JpegReader::size() const {
  return {info_.image_height, info_.image_width, info_.num_components == 1 ? 1 : 3};
}

// Every 8 x 8 block of luma takes at least one bit.
void JpegReader::check_length() const {
  const uint64_t blocks = uint64_t{info_.image_height} * info_.image_width / 64;
  if (blocks / 8 > file_.size())
    file_.fail(0,
               fmt::format("JPEG: {} bytes cannot hold an image of {} x {} pixels.", file_.size(),
                           info_.image_height, info_.image_width),
               hint);
}

void JpegReader::start(int channels, int scale, bool accurate) {
  channels_ = channels;
  const bool inks = info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
  info_.out_color_space = inks            ? JCS_CMYK
                          : channels == 1 ? JCS_GRAYSCALE
                          : channels == 3 ? JCS_RGB
                                          : JCS_EXT_RGBA;
  info_.scale_num = 1;
  info_.scale_denom = static_cast<unsigned>(scale);
  info_.do_fancy_upsampling = TRUE;
  info_.dct_method = accurate ? JDCT_ISLOW : JDCT_IFAST;
  guarded([this] { jpeg_start_decompress(&info_); });
  errors_.in_header = false;
}

ImageSize JpegReader::scaled_size() const {
  return {info_.output_height, info_.output_width, channels_};
}

void JpegReader::keep_columns(int64_t left, int64_t width) {
  auto begin = static_cast<JDIMENSION>(left), length = static_cast<JDIMENSION>(width);
  guarded([&] { jpeg_crop_scanline(&info_, &begin, &length); });
  kept_left_ = begin;
}

void JpegReader::skip_rows(int64_t rows) {
  guarded([&] { jpeg_skip_scanlines(&info_, static_cast<JDIMENSION>(rows)); });
}

void JpegReader::read_rows(const Pixels<uint8_t>& rows) {
  if (info_.out_color_space == JCS_CMYK) return read_cmyk_rows(rows);
  guarded([&] {
    constexpr int64_t at_once = 16;
    for (int64_t y = 0; y < rows.height;) {
      JSAMPROW pointers[at_once];
      const int64_t count = std::min(at_once, rows.height - y);
      for (int64_t i = 0; i < count; ++i) pointers[i] = rows.row(y + i);
      y += jpeg_read_scanlines(&info_, pointers, static_cast<JDIMENSION>(count));
    }
  });
}

void JpegReader::read_cmyk_rows(const Pixels<uint8_t>& rows) {
  std::vector<uint8_t> memory(static_cast<size_t>(info_.output_width) * 4);
  JSAMPROW inks = memory.data();
  for (int64_t y = 0; y < rows.height; ++y) {
    guarded([&] { jpeg_read_scanlines(&info_, &inks, 1); });
    convert_cmyk(inks, info_.saw_Adobe_marker, rows.crop({y, 0, 1, rows.width}));
  }
}

void JpegReader::finish() {
  guarded([this] { jpeg_finish_decompress(&info_); });
}

// The remaining rows are not decoded, but a truncated file must be detected.
void JpegReader::expect_an_end() {
  const size_t end = file_.text().rfind("\xff\xd9");
  if (end == std::string_view::npos || end + 2 < offset())
    file_.fail(file_.size(), "JPEG: the file ends before the image does.", hint);
}

}  // namespace stoker::images
