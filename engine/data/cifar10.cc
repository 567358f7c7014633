#include "engine/data/cifar10.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/core/file.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr int kCifarClasses = 10;
constexpr std::uint64_t kMaxCifarFile = std::uint64_t{1} << 31U;
constexpr std::uint64_t kMaxNames = 4096;
constexpr std::string_view kFiles =
    "CIFAR-10's binary version has data_batch_1.bin, data_batch_2.bin and so on, and "
    "test_batch.bin";

Error cifar10Invalid(const fs::path& path, const std::string& what) {
  return Error{ErrorCode::kInvalid, "cannot use " + path.string() + ": " + what};
}

/// n of "data_batch_<n>.bin".
std::optional<int> batchNumber(std::string_view name) {
  constexpr std::string_view kStart = "data_batch_";
  constexpr std::string_view kEnd = ".bin";
  if (!name.starts_with(kStart) || !name.ends_with(kEnd)) return std::nullopt;
  name.remove_prefix(kStart.size());
  name.remove_suffix(std::min(name.size(), kEnd.size()));
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

/// The files to train on, in the order of their numbers.
Result<std::vector<fs::path>> trainingFiles(const fs::path& folder) {
  std::map<int, fs::path> by_number;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (const auto number = batchNumber(entry->path().filename().string())) {
      const auto [other, is_new] = by_number.emplace(*number, entry->path());
      if (!is_new)
        return cifar10Invalid(entry->path(), "found " + other->second.string() + " as well");
    }
  }
  if (failure) {
    return Error{errorCodeOf(failure), "cannot list " + folder.string() + ": " + failure.message()};
  }
  if (by_number.empty()) {
    return Error{ErrorCode::kNotFound, "cannot find " + (folder / "data_batch_1.bin").string() +
                                           "; " + std::string(kFiles)};
  }
  std::vector<fs::path> files;
  for (auto& [number, path] : by_number)
    files.push_back(std::move(path));
  return files;
}

/// Adds the records of a file.
Result<void> append(const fs::path& path, Samples& samples) {
  const auto bytes = readFile(path, kMaxCifarFile);
  if (!bytes) return bytes.error().within(kFiles);
  if (bytes->empty() || bytes->size() % kCifarRecord != 0) {
    const bool is_gzip =
        bytes->size() >= 2 && (*bytes)[0] == std::byte{0x1F} && (*bytes)[1] == std::byte{0x8B};
    return cifar10Invalid(path, "found " + std::to_string(bytes->size()) +
                                    " bytes, expected records of 3073 (label and 3x32x32 pixels)" +
                                    (is_gzip ? "; it is compressed: gunzip it first" : ""));
  }
  const auto first = reinterpret_cast<const std::uint8_t*>(bytes->data());
  samples.labels.reserve(samples.labels.size() + bytes->size() / kCifarRecord);
  samples.pixels.reserve(samples.pixels.size() + bytes->size());
  for (std::size_t at = 0; at < bytes->size(); at += kCifarRecord) {
    if (first[at] >= kCifarClasses) {
      return cifar10Invalid(path, "found label " + std::to_string(first[at]) + " at record " +
                                      std::to_string(at / kCifarRecord) +
                                      ", expected labels from 0 to 9");
    }
    samples.labels.push_back(first[at]);
    samples.pixels.insert(samples.pixels.end(), first + at + 1, first + at + kCifarRecord);
  }
  return {};
}

/// One per line; none if there is no such file.
Result<std::vector<std::string>> classNames(const fs::path& path) {
  const auto is_there = isThere(path);
  if (!is_there) return is_there.error();
  if (!*is_there) return std::vector<std::string>{};
  const auto text = readTextFile(path, kMaxNames);
  if (!text) return text.error();
  std::vector<std::string> names;
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) names.emplace_back(line);
  }
  if (names.size() == kCifarClasses) return names;
  return cifar10Invalid(path, "found " + std::to_string(names.size()) +
                                  " names, expected those of 10 classes, one a line");
}

}  // namespace

Result<Images> loadCifar10(const fs::path& folder) {
  const auto files = trainingFiles(folder);
  if (!files) return files.error();
  Images images;
  images.classes = kCifarClasses;
  images.train.shape = images.test.shape = {3, 32, 32};
  for (const fs::path& file : *files) {
    if (auto added = append(file, images.train); !added) return added.error();
  }
  if (auto added = append(folder / "test_batch.bin", images.test); !added) return added.error();
  auto names = classNames(folder / "batches.meta.txt");
  if (!names) return names.error();
  images.class_names = std::move(*names);
  return images;
}

}  // namespace sumac::worker
