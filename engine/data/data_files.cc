#include "engine/data/data_files.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <system_error>

#include "base/core/check.h"
#include "base/core/file.h"
#include "engine/data/cifar.h"
#include "engine/data/gzip.h"
#include "engine/pictures/picture.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

NamedFile idxFile(const std::string& name, const model::Shape& extents,
                  std::span<const std::uint8_t> values, Compression compression) {
  Bytes content{std::byte{0}, std::byte{0}, std::byte{8}, static_cast<std::byte>(extents.size())};
  for (const std::int64_t extent : extents) {
    for (int shift = 24; shift >= 0; shift -= 8)
      content.push_back(static_cast<std::byte>((extent >> shift) & 255));
  }
  const auto bytes = std::as_bytes(values);
  content.insert(content.end(), bytes.begin(), bytes.end());
  if (compression == Compression::kNone) return {name, std::move(content)};
  return {name + ".gz", gzip(content)};
}

/// Labels in files that have a byte for each.
std::vector<std::uint8_t> bytesOf(std::span<const std::uint16_t> labels) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(labels.size());
  for (const std::uint16_t label : labels) {
    SUMAC_CHECK(label <= 255, label);
    bytes.push_back(static_cast<std::uint8_t>(label));
  }
  return bytes;
}

Bytes cifarRecords(const Samples& samples) {
  constexpr std::size_t kPixels = kCifarRecord - 1;
  Bytes content;
  content.reserve(samples.labels.size() * kCifarRecord);
  const auto pixels = std::as_bytes(std::span(samples.pixels));
  for (std::size_t i = 0; i < samples.labels.size(); ++i) {
    content.push_back(static_cast<std::byte>(samples.labels[i]));
    const auto own = pixels.subspan(i * kPixels, kPixels);
    content.insert(content.end(), own.begin(), own.end());
  }
  return content;
}

/// "class-07": as wide as that of the last class, so that the order of names is that of numbers.
std::string className(int label, int classes) {
  const std::string number = std::to_string(label);
  const std::size_t width = std::to_string(classes - 1).size();
  return "class-" + std::string(width - number.size(), '0') + number;
}

void addPictures(const Samples& samples, const std::string& split, int classes,
                 std::vector<NamedFile>& files) {
  const auto size = static_cast<std::size_t>(model::count(samples.shape));
  Picture picture{static_cast<int>(samples.shape[0]),
                  static_cast<int>(samples.shape[1]),
                  static_cast<int>(samples.shape[2]),
                  {}};
  for (std::size_t i = 0; i < samples.labels.size(); ++i) {
    const auto first = samples.pixels.begin() + static_cast<std::ptrdiff_t>(i * size);
    picture.pixels.assign(first, first + static_cast<std::ptrdiff_t>(size));
    files.push_back(
        {split + "/" + className(samples.labels[i], classes) + "/" + std::to_string(i) + ".png",
         encodePng(picture)});
  }
}

Bytes csvOf(const Samples& samples, int classes) {
  const auto features = static_cast<std::size_t>(samples.shape[0]);
  std::string text;
  for (std::size_t i = 1; i <= features; ++i)
    text += "x" + std::to_string(i) + ",";
  text += "label\n";
  for (std::size_t at = 0; at < samples.pixels.size(); ++at) {
    text += std::to_string(samples.pixels[at]) + ",";
    if ((at + 1) % features == 0) text += className(samples.labels[at / features], classes) + "\n";
  }
  const auto bytes = asBytes(text);
  return {bytes.begin(), bytes.end()};
}

Bytes lines(std::span<const std::int32_t> tokens, const std::vector<std::string>& vocabulary) {
  std::string text;
  bool begins = true;
  for (const std::int32_t token : tokens) {
    const std::string& word = vocabulary[static_cast<std::size_t>(token)];
    if (word == kEndOfLine) {
      text += '\n';
    } else {
      text += (begins ? "" : " ") + word;
    }
    begins = word == kEndOfLine;
  }
  SUMAC_CHECK(begins, tokens.size());
  const auto bytes = asBytes(text);
  return {bytes.begin(), bytes.end()};
}

Result<void> requireFolderOf(const fs::path& file) {
  std::error_code failure;
  fs::create_directories(file.parent_path(), failure);
  if (!failure) return {};
  return Error{errorCodeOf(failure), "cannot create the folder " + file.parent_path().string() +
                                         ": " + failure.message()};
}

}  // namespace

std::vector<NamedFile> idxFiles(const Images& images, Compression compression) {
  std::vector<NamedFile> files;
  for (const auto& [prefix, samples] :
       {std::pair("train", &images.train), std::pair("t10k", &images.test)}) {
    const auto& shape = samples->shape;
    SUMAC_CHECK(shape.size() == 3 && shape[0] == 1, model::toString(shape));
    files.push_back(idxFile(std::string(prefix) + "-images-idx3-ubyte",
                            {samples->count(), shape[1], shape[2]}, samples->pixels, compression));
    files.push_back(idxFile(std::string(prefix) + "-labels-idx1-ubyte", {samples->count()},
                            bytesOf(samples->labels), compression));
  }
  return files;
}

std::vector<NamedFile> cifar10Files(const Images& images) {
  SUMAC_CHECK((images.train.shape == model::Shape{3, 32, 32}), model::toString(images.train.shape));
  return {{"data_batch_1.bin", cifarRecords(images.train)},
          {"test_batch.bin", cifarRecords(images.test)}};
}

std::vector<NamedFile> pictureFiles(const Images& images) {
  std::vector<NamedFile> files;
  for (const auto& [split, samples] :
       {std::pair("train", &images.train), std::pair("test", &images.test)}) {
    SUMAC_CHECK(samples->shape.size() == 3, model::toString(samples->shape));
    addPictures(*samples, split, images.classes, files);
  }
  return files;
}

std::vector<NamedFile> csvFiles(const Images& images) {
  SUMAC_CHECK(images.train.shape.size() == 1, model::toString(images.train.shape));
  return {{"train.csv", csvOf(images.train, images.classes)},
          {"test.csv", csvOf(images.test, images.classes)}};
}

std::vector<NamedFile> textFiles(const Text& text) {
  std::vector<NamedFile> files;
  for (const auto& [name, tokens] :
       {std::pair("train.txt", &text.train), std::pair("valid.txt", &text.valid),
        std::pair("test.txt", &text.test)}) {
    if (!tokens->empty()) files.push_back({name, lines(*tokens, text.vocabulary)});
  }
  return files;
}

Result<std::vector<fs::path>> createFiles(const fs::path& folder,
                                          const std::vector<NamedFile>& files) {
  std::error_code failure;
  std::vector<fs::path> paths;
  for (const NamedFile& file : files) {
    paths.push_back(folder / file.name);
    if (fs::exists(fs::symlink_status(paths.back(), failure))) {
      return Error{ErrorCode::kConflict, "cannot create " + paths.back().string() +
                                             ": it exists already; nothing was written"};
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (auto made = requireFolderOf(paths[i]); !made) return made.error();
    if (auto written = createFile(paths[i], files[i].content); !written) return written.error();
  }
  return paths;
}

}  // namespace sumac::worker
