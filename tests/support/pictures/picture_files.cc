#include "tests/support/pictures/picture_files.h"

#include <cstdio>
#include <cstdlib>
#include <jpeglib.h>
#include <png.h>
#include <stdexcept>

namespace sumac {
namespace {

void append(png_structp png, png_bytep data, std::size_t size) {
  auto* const out = static_cast<Bytes*>(png_get_io_ptr(png));
  const auto bytes = std::as_bytes(std::span(data, size));
  out->insert(out->end(), bytes.begin(), bytes.end());
}

// A test that asks for what cannot be written ends.
void giveUp(png_structp /*png*/, png_const_charp message) {
  std::fprintf(stderr, "libpng: %s\n", message);
  std::abort();
}

void writeHead(png_structp png, png_infop info, const PngFile& file) {
  png_set_IHDR(png, info, static_cast<unsigned>(file.width), static_cast<unsigned>(file.height),
               file.bits, file.colors,
               file.is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  std::vector<png_color> palette;
  for (const auto& color : file.palette)
    palette.push_back({color[0], color[1], color[2]});
  if (!palette.empty()) png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
  png_byte first_is_clear = 0;
  png_color_16 black{};
  if (file.is_transparent) png_set_tRNS(png, info, &first_is_clear, 1, &black);
  png_write_info(png, info);
}

std::vector<std::uint8_t> interleaved(const worker::Picture& picture) {
  std::vector<std::uint8_t> rows;
  const auto channels = static_cast<std::size_t>(picture.channels);
  const std::size_t plane = picture.pixels.size() / channels;
  for (std::size_t i = 0; i < plane; ++i)
    for (std::size_t channel = 0; channel < channels; ++channel)
      rows.push_back(picture.pixels[channel * plane + i]);
  return rows;
}

// Of one channel: the mean of each block, then all else.
constexpr std::array<jpeg_scan_info, 2> kTwoScans = {
    {{1, {0, 0, 0, 0}, 0, 0, 0, 0}, {1, {0, 0, 0, 0}, 1, 63, 0, 0}}};

void choose(jpeg_compress_struct& jpeg, const worker::Picture& picture,
            const JpegOptions& options) {
  jpeg.image_width = static_cast<unsigned>(picture.width);
  jpeg.image_height = static_cast<unsigned>(picture.height);
  jpeg.input_components = picture.channels;
  jpeg.in_color_space = picture.channels == 1   ? JCS_GRAYSCALE
                        : picture.channels == 3 ? JCS_RGB
                                                : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, options.quality, TRUE);
  jpeg.dct_method = JDCT_ISLOW;
  jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = options.is_subsampled ? 2 : 1;
  if (options.is_progressive) jpeg_simple_progression(&jpeg);
  if (options.has_two_scans) {
    jpeg.scan_info = kTwoScans.data();
    jpeg.num_scans = static_cast<int>(kTwoScans.size());
  }
}

}  // namespace

Bytes encode(const PngFile& file) {
  Bytes out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, giveUp, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &out, append, nullptr);
  writeHead(png, info, file);
  const std::size_t row_bytes = png_get_rowbytes(png, info);
  std::vector<png_bytep> rows;
  std::vector<std::uint8_t> bytes = file.rows;
  bytes.resize(row_bytes * static_cast<std::size_t>(file.height));
  for (int y = 0; y < file.height; ++y)
    rows.push_back(&bytes[row_bytes * static_cast<std::size_t>(y)]);
  png_write_image(png, rows.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return out;
}

Bytes pngOf(const worker::Picture& picture) {
  PngFile file;
  file.height = picture.height;
  file.width = picture.width;
  file.colors = picture.channels == 1 ? 0 : 2;
  file.rows = interleaved(picture);
  return encode(file);
}

Bytes jpegOf(const worker::Picture& picture, const JpegOptions& options) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);  // ends the process
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): libjpeg's
  jpeg_mem_dest(&jpeg, &memory, &size);
  choose(jpeg, picture, options);
  jpeg_start_compress(&jpeg, TRUE);
  if (options.orientation) {
    Bytes segment = {std::byte{'E'}, std::byte{'x'}, std::byte{'i'},
                     std::byte{'f'}, std::byte{0},   std::byte{0}};
    const Bytes exif = exifOf(*options.orientation, false);
    segment.insert(segment.end(), exif.begin(), exif.end());
    jpeg_write_marker(&jpeg, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(segment.data()),
                      static_cast<unsigned>(segment.size()));
  }
  std::vector<std::uint8_t> rows = interleaved(picture);
  const std::size_t row_bytes = rows.size() / static_cast<std::size_t>(picture.height);
  for (std::size_t y = 0; y < static_cast<std::size_t>(picture.height); ++y) {
    JSAMPROW row = &rows[y * row_bytes];
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  const auto bytes = std::as_bytes(std::span(memory, size));
  Bytes out(bytes.begin(), bytes.end());
  std::free(memory);
  return out;
}

Bytes exifOf(int orientation, bool is_little_endian) {
  Bytes out = {is_little_endian ? std::byte{'I'} : std::byte{'M'},
               is_little_endian ? std::byte{'I'} : std::byte{'M'}};
  const auto add = [&](std::uint32_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) {
      const unsigned shift = 8 * (is_little_endian ? i : size - 1 - i);
      out.push_back(static_cast<std::byte>(value >> shift & 255U));
    }
  };
  add(42, 2);
  add(8, 4);       // where the entries are
  add(2, 2);       // their number
  add(0x0100, 2);  // a width, which is passed over
  add(3, 2);
  add(1, 4);
  add(7, 2);
  add(0, 2);
  add(0x0112, 2);
  add(3, 2);
  add(1, 4);
  add(static_cast<std::uint32_t>(orientation), 2);
  add(0, 2);
  add(0, 4);  // no further entries
  return out;
}

worker::Picture gradientPicture(int channels, worker::PictureSize size) {
  worker::Picture picture{channels, size.height, size.width, {}};
  for (int channel = 0; channel < channels; ++channel)
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        picture.pixels.push_back(static_cast<std::uint8_t>(
            (channel * 40 + 100 * y / size.height + 110 * x / size.width) % 256));
  return picture;
}

}  // namespace sumac
