#include "io/images/codecs/png_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "core/round_up.h"
#include "io/verify_checksums.h"

namespace stoker::images {
namespace {

constexpr uint64_t most_inflation = 1032;  // maximum expansion of deflate
constexpr png_uint_32 any_side = 0x7fffffff;
constexpr const char* hint =
    "the file is damaged or incomplete: get it again, or convert it with another program.";

}  // namespace

void PngReader::on_error(png_structp png, png_const_charp message) {
  auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
  std::snprintf(reader->message_, sizeof reader->message_, "%s", message);
  png_longjmp(png, 1);
}

void PngReader::on_read(png_structp png, png_bytep to, size_t bytes) {
  auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
  if (bytes > reader->file_.size() - reader->offset_)
    png_error(png, "the file ends before the image does");
  std::memcpy(to, reader->file_.data() + reader->offset_, bytes);
  reader->offset_ += bytes;
}

template <class F>
void PngReader::guarded(F body) {
  static_assert(std::is_trivially_destructible_v<F>);
  if (setjmp(png_jmpbuf(png_)) != 0) file_.fail(offset_, fmt::format("PNG: {}.", message_), hint);
  body();
}

PngReader::PngReader(const Blob& file) : file_(file) {
  png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
  info_ = png_ ? png_create_info_struct(png_) : nullptr;
  if (!info_) {
    png_destroy_read_struct(&png_, nullptr, nullptr);
    throw std::bad_alloc();
  }
  try {
    guarded([this] {
      png_set_read_fn(png_, this, on_read);
      png_set_user_limits(png_, any_side, any_side);  // the number of pixels is limited instead
      if (!verify_checksums) png_set_crc_action(png_, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
      png_read_info(png_, info_);
    });
  } catch (...) {  // the destructor does not run if the constructor throws
    png_destroy_read_struct(&png_, &info_, nullptr);
    throw;
  }
}

ImageSize PngReader::size() const {
  const bool palette = png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE;
  const bool transparent = png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
  return {png_get_image_height(png_, info_), png_get_image_width(png_, info_),
          palette ? (transparent ? 4 : 3) : png_get_channels(png_, info_)};
}

void PngReader::check_length() const {
  const ImageSize size = this->size();
  const uint64_t bits = uint64_t{png_get_channels(png_, info_)} * png_get_bit_depth(png_, info_);
  const uint64_t row = ceil_div(static_cast<uint64_t>(size.width) * bits, 8) + 1;
  if (row > file_.size() * most_inflation / static_cast<uint64_t>(size.height) + 1)
    file_.fail(0,
               fmt::format("PNG: {} bytes cannot hold an image of {} x {} pixels.", file_.size(),
                           size.height, size.width),
               hint);
}

// The same conversions as TensorFlow: 16 bits are reduced to the upper 8, grey has JPEG's weights.
void PngReader::choose_channels(int channels) {
  const int color = png_get_color_type(png_, info_), depth = png_get_bit_depth(png_, info_);
  const bool alpha = (color & PNG_COLOR_MASK_ALPHA) != 0,
             transparent = png_get_valid(png_, info_, PNG_INFO_tRNS) != 0,
             gray = (color & PNG_COLOR_MASK_COLOR) == 0;
  if (depth == 16) png_set_strip_16(png_);
  png_set_packing(png_);
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
  if (gray && depth < 8) png_set_expand_gray_1_2_4_to_8(png_);
  if (channels % 2 == 0) {
    if (!alpha && transparent)
      png_set_tRNS_to_alpha(png_);
    else if (!alpha)
      png_set_add_alpha(png_, 255, PNG_FILLER_AFTER);
  } else if (alpha || transparent) {
    png_set_strip_alpha(png_);
  }
  if (channels < 3 && !gray)
    png_set_rgb_to_gray(png_, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  else if (channels >= 3 && gray)
    png_set_gray_to_rgb(png_);
}

void PngReader::start(int channels) {
  guarded([this, channels] {
    choose_channels(channels);
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  });
  const size_t expected = png_get_image_width(png_, info_) * static_cast<size_t>(channels);
  if (png_get_rowbytes(png_, info_) != expected)
    throw Internal(fmt::format("libpng returns rows of {} bytes where {} are expected, {}.",
                               png_get_rowbytes(png_, info_), expected, file_.name()));
}

void PngReader::read_row(uint8_t* row) {
  guarded([=, this] { png_read_row(png_, row, nullptr); });
}

void PngReader::read_image(const Pixels<uint8_t>& image) {
  guarded([&] {
    for (int pass = 0; pass < passes_; ++pass)
      for (int64_t y = 0; y < image.height; ++y) png_read_row(png_, image.row(y), nullptr);
  });
}

void PngReader::finish() {
  guarded([this] { png_read_end(png_, nullptr); });
}

// The remaining rows are not decoded, but a truncated file must be detected.
void PngReader::expect_an_end() {
  const size_t end = file_.text().rfind("IEND");
  if (end == std::string_view::npos || end < offset_)
    file_.fail(file_.size(), "PNG: the file ends before the image does.", hint);
}

}  // namespace stoker::images
