#include "engine/data/data_files.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <system_error>

#include "base/core/check.h"
#include "base/core/file.h"
#include "engine/data/cifar.h"
#include "engine/data/gzip.h"

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
  fs::create_directories(folder, failure);
  if (failure) {
    return Error{errorCodeOf(failure),
                 "cannot create the folder " + folder.string() + ": " + failure.message()};
  }
  std::vector<fs::path> paths;
  for (const NamedFile& file : files) {
    paths.push_back(folder / file.name);
    if (fs::exists(fs::symlink_status(paths.back(), failure))) {
      return Error{ErrorCode::kConflict, "cannot create " + paths.back().string() +
                                             ": it exists already; nothing was written"};
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (auto written = createFile(paths[i], files[i].content); !written) return written.error();
  }
  return paths;
}

}  // namespace sumac::worker
