// Files of data.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/check.h"
#include "base/core/file.h"
#include "engine/data/data_files.h"
#include "engine/data/generated.h"
#include "engine/data/gzip.h"
#include "engine/data/idx_images.h"
#include "tests/fuzz/seeds/corpus.h"
#include "tests/support/pictures/picture_files.h"

namespace sumac::fuzz {
namespace {

worker::Images cut(worker::Images images, std::size_t samples) {
  for (worker::Samples* split : {&images.train, &images.test}) {
    const auto size = static_cast<std::size_t>(model::count(split->shape));
    split->labels.resize(samples);
    split->pixels.resize(samples * size);
  }
  return images;
}

worker::Images smallImages(model::Shape shape) {
  worker::ImageRecipe recipe;
  recipe.train_samples = 3;
  recipe.test_samples = 2;
  recipe.shape = std::move(shape);
  auto images = worker::generateImages(recipe);
  SUMAC_CHECK(images.has_value(), images ? "" : images.error().message);
  return *std::move(images);
}

std::vector<Bytes> contentsOf(const std::vector<worker::NamedFile>& files) {
  std::vector<Bytes> contents;
  for (const worker::NamedFile& file : files)
    contents.push_back(file.content);
  return contents;
}

void addIdx(const Corpus& corpus) {
  const auto real = worker::loadIdxImages("examples/data/fashion-mnist-mini");
  SUMAC_CHECK(real.has_value(), real ? "" : real.error().message);
  const auto plain = contentsOf(worker::idxFiles(cut(*real, 1), worker::Compression::kNone));
  const auto packed = contentsOf(worker::idxFiles(cut(*real, 2), worker::Compression::kGzip));
  corpus.add("idx", "fashion_images", plain[0]);
  corpus.add("idx", "fashion_labels", plain[1]);
  corpus.add("idx", "fashion_images.gz", packed[0]);
  corpus.add("idx", "fashion_labels.gz", packed[1]);
  corpus.add("images", "fashion", joined(plain));
  corpus.add("images", "fashion_gz", joined(packed));

  auto small = contentsOf(worker::idxFiles(smallImages({1, 2, 3}), worker::Compression::kNone));
  corpus.add("images", "small", joined(small));
  corpus.add("images", "labels_of_another_number",
             joined({small[0], small[3], small[2], small[3]}));
  corpus.add("images", "no_test_images", joined({small[0], small[1], {}, small[3]}));
  auto wide = contentsOf(worker::idxFiles(smallImages({1, 2, 4}), worker::Compression::kNone));
  corpus.add("images", "test_images_of_another_shape",
             joined({small[0], small[1], wide[2], wide[3]}));
  Bytes label_ten = small[1];
  label_ten.back() = std::byte{10};
  corpus.add("images", "label_of_no_class", joined({small[0], label_ten, small[2], small[3]}));

  const Bytes& file = small[0];
  corpus.add("idx", "small", file);
  corpus.add("idx", "cut_in_the_header", firstOf(file, 7));
  corpus.add("idx", "cut_in_the_values", firstOf(file, file.size() - 1));
  corpus.add("idx", "bytes_after_the_values", concatenated({file, asBytes("x")}));
  Bytes huge = file;
  std::fill_n(huge.begin() + 4, 12, std::byte{0xFF});
  corpus.add("idx", "extents_that_overflow", huge);
  Bytes large = file;
  large[4] = std::byte{0x10};
  corpus.add("idx", "more_values_than_bytes", large);
  Bytes none = firstOf(file, 16);
  std::fill_n(none.begin() + 4, 4, std::byte{0});
  corpus.add("idx", "no_samples", none);
  Bytes floats = file;
  floats[2] = std::byte{0x0D};
  corpus.add("idx", "values_of_floats", floats);
  const Bytes packed_file = worker::gzip(file);
  corpus.add("idx", "small.gz", packed_file);
  corpus.add("idx", "cut.gz", firstOf(packed_file, packed_file.size() / 2));
  corpus.add("idx", "two_members.gz", concatenated({packed_file, packed_file}));
  corpus.add("idx", "bytes_after_the_end.gz", concatenated({packed_file, asBytes("x")}));
  Bytes damaged = packed_file;
  damaged[damaged.size() - 6] ^= std::byte{1};
  corpus.add("idx", "bad_checksum.gz", damaged);
  Bytes bomb(1UL << 20U);
  storeLittleEndian(bomb.data(), std::uint32_t{0x01080000});
  corpus.add("idx", "mostly_zeros.gz", worker::gzip(bomb));
}

void addCifar(const Corpus& corpus) {
  constexpr std::size_t kRecord = 3073;
  const auto files = contentsOf(worker::cifar10Files(smallImages({3, 32, 32})));
  Bytes one = firstOf(files[0], kRecord);
  std::fill(one.begin() + 64, one.end(), std::byte{0});
  const Bytes names =
      bytesOf("airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n");
  corpus.add("cifar10", "generated", joined({files[0], {}, files[1], {}}));
  corpus.add("cifar10", "names", joined({one, one, one, names}));
  corpus.add("cifar10", "nine_names",
             joined({one, {}, one, bytesOf("1\n2\n3\n4\n5\n6\n7\n8\n9\n")}));
  corpus.add("cifar10", "no_test_file", joined({one, one, {}, {}}));
  corpus.add("cifar10", "no_training_file", joined({{}, {}, one, {}}));
  corpus.add("cifar10", "cut_record", joined({firstOf(one, kRecord - 1), {}, one, {}}));
  Bytes ten = one;
  ten[0] = std::byte{10};
  corpus.add("cifar10", "label_of_no_class", joined({ten, {}, one, {}}));
  corpus.add("cifar10", "compressed", joined({worker::gzip(one), {}, one, {}}));
}

void addPictures(const Corpus& corpus) {
  const worker::Picture gray = gradientPicture(1, {9, 12});
  const worker::Picture colored = gradientPicture(3, {9, 12});
  PngFile png{.height = 9, .width = 12, .rows = gray.pixels};
  corpus.add("pictures", "gray.png", encode(png));
  png.is_interlaced = true;
  corpus.add("pictures", "interlaced.png", encode(png));
  corpus.add("pictures", "colors.png", pngOf(colored));
  corpus.add("pictures", "palette.png",
             encode({.width = 2, .colors = 3, .bits = 1, .palette = {{1, 2, 3}}, .rows = {0}}));
  corpus.add("pictures", "alpha.png", encode({.colors = 6, .rows = {1, 2, 3, 4}}));
  corpus.add("pictures", "sixteen_bits.png", encode({.bits = 16, .rows = {1, 2}}));
  corpus.add("pictures", "gray.jpg", jpegOf(gray, {.quality = 50}));
  corpus.add("pictures", "turned.jpg", jpegOf(gray, {.quality = 50, .orientation = 6}));
  corpus.add("pictures", "two_scans.jpg", jpegOf(gray, {.quality = 50, .has_two_scans = true}));
  const Bytes jpeg = jpegOf(colored, {.quality = 50, .is_subsampled = true});
  corpus.add("pictures", "subsampled.jpg", jpeg);
  corpus.add("pictures", "cut.jpg", firstOf(jpeg, jpeg.size() - 9));
  corpus.add("pictures", "progressive.jpg",
             jpegOf(colored, {.quality = 50, .is_progressive = true}));
  corpus.add("pictures", "cmyk.jpg", jpegOf(gradientPicture(4, {9, 12}), {.quality = 50}));
}

std::string npyOf(const std::string& descr, const std::string& shape, std::string_view values) {
  const std::string head =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += {static_cast<char>(head.size()), '\0'};
  return (bytes + head).append(values);
}

void addArrays(const Corpus& corpus) {
  using namespace std::string_view_literals;
  const Bytes y = bytesOf(npyOf("|u1", "(2,)", "\0\1"sv));
  const Bytes y_test = bytesOf(npyOf("<i4", "(1,)", "\1\0\0\0"sv));
  const Bytes x = bytesOf(npyOf("<f4", "(2, 1)", "\0\0\x80\x3F\0\0\0\xC0"sv));
  const Bytes x_test = bytesOf(npyOf("<f8", "(1, 1)", "\0\0\0\0\0\0\0\x40"sv));
  corpus.add("npy", "vectors", joined({x, y, x_test, y_test, {}}));
  const Bytes images = bytesOf(npyOf("|u1", "(2, 1, 1, 2)", "abcd"));
  const Bytes image = bytesOf(npyOf("|u1", "(1, 1, 1, 2)", "ef"));
  corpus.add("npy", "images", joined({images, y, image, y_test, {}}));
  corpus.add("npy", "objects", joined({bytesOf(npyOf("|O", "(1,)", "\x80\4")), y, x, y, {}}));
  corpus.add("npy", "huge", joined({bytesOf(npyOf("<f8", "(99999999, 9)", "a")), y, x, y, {}}));
  corpus.add("npy", "cut", joined({firstOf(x, x.size() - 1), y, x_test, y_test, {}}));
  for (const char* name : {"stored.npz", "compressed.npz"}) {
    const auto archive = readFile(std::filesystem::path("tests/data/npy") / name, 4096);
    SUMAC_CHECK(archive.has_value(), name);
    corpus.add("npy", name, joined({{}, {}, {}, {}, *archive}));
  }
}

}  // namespace

void addData(const Corpus& corpus) {
  addIdx(corpus);
  addCifar(corpus);
  addPictures(corpus);
  addArrays(corpus);
}

}  // namespace sumac::fuzz
