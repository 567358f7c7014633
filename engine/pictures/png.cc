// All that knows libpng. Its errors jump over C frames to the setjmp of the call that is under way:
// no object of ours lives in between.
#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstring>
#include <new>
#include <png.h>
#include <string>
#include <vector>

#include "base/core/check.h"
#include "engine/pictures/decoders.h"

namespace sumac::worker {
namespace {

/// A PNG file that is read from memory. What fails returns false, and message() says why.
class PngReader {
 public:
  explicit PngReader(BytesView bytes) : left_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, onError, onWarning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ != nullptr) return;
    png_destroy_read_struct(&png_, nullptr, nullptr);
    throw std::bad_alloc();
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  const char* message() const { return message_; }

  /// Reads up to the pixels; all channels become bytes.
  bool begin() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_read_fn(png_, this, onRead);
    // Texts and color profiles may be packed, and nobody reads them.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(png_, info_);
    png_set_expand(png_);
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  PictureSize size() const {
    return {static_cast<int>(png_get_image_height(png_, info_)),
            static_cast<int>(png_get_image_width(png_, info_))};
  }
  std::size_t rowBytes() const { return png_get_rowbytes(png_, info_); }
  int passes() const { return passes_; }

  /// Reads the next row, of the next pass where the file has several.
  bool readRow(std::uint8_t* row) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_row(png_, row, nullptr);
    return true;
  }

  /// Reads what follows the pixels.
  bool end() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_end(png_, nullptr);
    return true;
  }

 private:
  [[noreturn]] static void onError(png_structp png, png_const_charp message) {
    auto* const self = static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof self->message_ - 1);
    png_longjmp(png, 1);
  }

  static void onWarning(png_structp /*png*/, png_const_charp /*message*/) {}

  static void onRead(png_structp png, png_bytep to, std::size_t size) {
    auto* const self = static_cast<PngReader*>(png_get_io_ptr(png));
    if (self->left_.size() < size) png_error(png, "the file ends too early");
    std::memcpy(to, self->left_.data(), size);
    self->left_ = self->left_.subspan(size);
  }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  BytesView left_;
  int passes_ = 1;
  char message_[128] = {};
};

}  // namespace

Result<Picture> decodePng(BytesView bytes, const PictureHead& head, int channels) {
  PngReader reader(bytes);
  if (!reader.begin()) return damaged(reader.message());
  const auto row_bytes =
      static_cast<std::size_t>(head.stored.width) * static_cast<std::size_t>(head.channels);
  if (reader.size() != head.stored || reader.rowBytes() != row_bytes)
    return damaged("it says two things of its pixels");
  const int passes = reader.passes();
  // Each pass of an interlaced file adds some pixels to every row.
  std::vector<std::uint8_t> rows(row_bytes *
                                 (passes == 1 ? 1 : static_cast<std::size_t>(head.stored.height)));
  Picture picture = blackPicture(channels, head.stored);
  for (int pass = 0; pass < passes; ++pass) {
    for (int y = 0; y < head.stored.height; ++y) {
      std::uint8_t* const row =
          passes == 1 ? rows.data() : &rows[row_bytes * static_cast<std::size_t>(y)];
      if (!reader.readRow(row)) return damaged(reader.message());
      if (pass == passes - 1) storeRow({row, row_bytes}, y, picture);
    }
  }
  if (!reader.end()) return damaged(reader.message());
  return picture;
}

Bytes encodePng(const Picture& picture) {
  const auto channels = static_cast<std::size_t>(picture.channels);
  const std::size_t plane = picture.pixels.size() / channels;
  std::vector<std::uint8_t> rows(picture.pixels.size());
  for (std::size_t at = 0; at < rows.size(); ++at)
    rows[at] = picture.pixels[at % channels * plane + at / channels];
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(picture.height);
  image.width = static_cast<png_uint_32>(picture.width);
  image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  Bytes bytes(size);
  const int written = png_image_write_to_memory(&image, bytes.data(), &size, /*convert_to_8_bit=*/0,
                                                rows.data(), /*row_stride=*/0, nullptr);
  SUMAC_CHECK(written != 0, image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace sumac::worker
