// All that knows libjpeg. Its errors jump over C frames to the setjmp of the call that is under
// way: no object of ours lives in between.
#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
#include <string>
// After jpeglib.h, which it does not include.
#include <jerror.h>

#include "engine/pictures/decoders.h"

namespace sumac::worker {
namespace {

// Each scan of a progressive file costs time for all pixels, and may cost hardly a byte. Encoders
// make about ten.
constexpr int kMaxScans = 64;

/// A JPEG file that is read from memory. What fails returns false, and message() says why.
class JpegReader {
 public:
  JpegReader() {
    jpeg_.err = jpeg_std_error(&errors_);
    jpeg_.client_data = this;
    errors_.error_exit = onError;
    errors_.emit_message = onWarning;
    progress_.progress_monitor = onProgress;
  }
  ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  const char* message() const { return message_; }

  /// Reads up to the pixels, which are to be 1/`shrink` of their number on each side.
  bool begin(BytesView bytes, int channels, int shrink) {
    if (setjmp(jump_) != 0) return false;
    jpeg_create_decompress(&jpeg_);
    jpeg_.progress = &progress_;
    jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&jpeg_, TRUE);
    jpeg_.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_.scale_num = 1;
    jpeg_.scale_denom = static_cast<unsigned>(shrink);
    // What decides the bits is set, whatever the library's defaults are.
    jpeg_.dct_method = JDCT_ISLOW;
    jpeg_.do_fancy_upsampling = TRUE;
    jpeg_.do_block_smoothing = FALSE;
    jpeg_start_decompress(&jpeg_);
    return true;
  }

  PictureSize stored() const {
    return {static_cast<int>(jpeg_.image_height), static_cast<int>(jpeg_.image_width)};
  }
  PictureSize size() const {
    return {static_cast<int>(jpeg_.output_height), static_cast<int>(jpeg_.output_width)};
  }
  int channels() const { return jpeg_.output_components; }

  bool readRow(std::uint8_t* row) {
    if (setjmp(jump_) != 0) return false;
    jpeg_read_scanlines(&jpeg_, &row, 1);
    return true;
  }

  /// Reads what follows the pixels.
  bool end() {
    if (setjmp(jump_) != 0) return false;
    jpeg_finish_decompress(&jpeg_);
    return true;
  }

 private:
  [[noreturn]] static void onError(j_common_ptr jpeg) {
    auto* const self = static_cast<JpegReader*>(jpeg->client_data);
    jpeg->err->format_message(jpeg, self->message_);
    std::longjmp(self->jump_, 1);
  }

  /// What libjpeg makes up for lost pixels is an error. Bytes too many, which some cameras write,
  /// and odd numbers of versions change no pixel.
  static void onWarning(j_common_ptr jpeg, int level) {
    const int code = jpeg->err->msg_code;
    if (level >= 0 || code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR ||
        code == JWRN_ADOBE_XFORM)
      return;
    onError(jpeg);
  }

  static void onProgress(j_common_ptr jpeg) {
    auto* const self = static_cast<JpegReader*>(jpeg->client_data);
    if (self->jpeg_.input_scan_number <= kMaxScans) return;
    std::snprintf(self->message_, sizeof self->message_, "more than %d scans", kMaxScans);
    std::longjmp(self->jump_, 1);
  }

  jpeg_decompress_struct jpeg_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf jump_{};
  char message_[JMSG_LENGTH_MAX] = {};
};

/// The largest of 8, 4, 2 and 1 by which the sides can be divided so that they still cover a size.
int shrinkFor(PictureSize stored, PictureSize cover) {
  int shrink = 8;
  while (shrink > 1 && ((stored.height + shrink - 1) / shrink < cover.height ||
                        (stored.width + shrink - 1) / shrink < cover.width))
    shrink /= 2;
  return shrink;
}

}  // namespace

Result<Picture> decodeJpeg(BytesView bytes, const PictureHead& head, int channels,
                           PictureSize cover) {
  JpegReader reader;
  if (!reader.begin(bytes, head.channels, shrinkFor(head.stored, cover)))
    return damaged(reader.message());
  if (reader.stored() != head.stored || reader.channels() != head.channels)
    return damaged("it says two things of its pixels");
  const PictureSize size = reader.size();
  std::vector<std::uint8_t> row(static_cast<std::size_t>(size.width) *
                                static_cast<std::size_t>(head.channels));
  Picture picture = blackPicture(channels, size);
  for (int y = 0; y < size.height; ++y) {
    if (!reader.readRow(row.data())) return damaged(reader.message());
    storeRow(row, y, picture);
  }
  if (!reader.end()) return damaged(reader.message());
  return picture;
}

}  // namespace sumac::worker
