#include "engine/data/cifar.h"

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
#include "base/core/units.h"
#include "engine/data/class_names.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxCifarFile = std::uint64_t{1} << 31U;

/// How the two versions differ.
struct Version {
  int classes = 0;
  std::size_t label_bytes = 1;  // the last of which is the label
  std::string_view files;

  std::size_t record() const { return label_bytes + kCifarRecord - 1; }
};

constexpr Version kCifar10{.classes = 10,
                           .files =
                               "CIFAR-10's binary version has data_batch_1.bin, "
                               "data_batch_2.bin and so on, and test_batch.bin"};
constexpr Version kCifar100{.classes = 100,
                            .label_bytes = 2,
                            .files = "CIFAR-100's binary version has train.bin and test.bin"};

Error cifarInvalid(const fs::path& path, const std::string& what) {
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
        return cifarInvalid(entry->path(), "found " + other->second.string() + " as well");
    }
  }
  if (failure) {
    return Error{errorCodeOf(failure), "cannot list " + folder.string() + ": " + failure.message()};
  }
  if (by_number.empty()) {
    return Error{ErrorCode::kNotFound, "cannot find " + (folder / "data_batch_1.bin").string() +
                                           "; " + std::string(kCifar10.files)};
  }
  std::vector<fs::path> files;
  for (auto& [number, path] : by_number)
    files.push_back(std::move(path));
  return files;
}

/// Adds the records of a file.
Result<void> append(const fs::path& path, const Version& version, Samples& samples) {
  const std::size_t record = version.record();
  const auto bytes = readFile(path, kMaxCifarFile);
  if (!bytes) return bytes.error().within(version.files);
  if (bytes->empty() || bytes->size() % record != 0) {
    const bool is_gzip =
        bytes->size() >= 2 && (*bytes)[0] == std::byte{0x1F} && (*bytes)[1] == std::byte{0x8B};
    return cifarInvalid(path, "found " + counted(std::ssize(*bytes), "byte") +
                                  ", expected records of " + std::to_string(record) +
                                  " (label and 3x32x32 pixels)" +
                                  (is_gzip ? "; it is compressed: gunzip it first" : ""));
  }
  const auto first = reinterpret_cast<const std::uint8_t*>(bytes->data());
  samples.labels.reserve(samples.labels.size() + bytes->size() / record);
  samples.pixels.reserve(samples.pixels.size() + bytes->size());
  for (std::size_t at = 0; at < bytes->size(); at += record) {
    const std::uint8_t* const pixels = first + at + version.label_bytes;
    const int label = pixels[-1];
    if (label >= version.classes) {
      return cifarInvalid(path, "found label " + std::to_string(label) + " at record " +
                                    std::to_string(at / record) + ", expected labels from 0 to " +
                                    std::to_string(version.classes - 1));
    }
    samples.labels.push_back(static_cast<std::uint16_t>(label));
    samples.pixels.insert(samples.pixels.end(), pixels, first + at + record);
  }
  return {};
}

/// Loads the files to train on, those to test with, and the names, if they are there.
Result<Images> load(const Version& version, const std::vector<fs::path>& train,
                    const fs::path& test, const fs::path& names) {
  Images images;
  images.classes = version.classes;
  images.train.shape = images.test.shape = {3, 32, 32};
  for (const fs::path& file : train) {
    if (auto added = append(file, version, images.train); !added) return added.error();
  }
  if (auto added = append(test, version, images.test); !added) return added.error();
  auto class_names = readClassNames(names, version.classes);
  if (!class_names) return class_names.error();
  images.class_names = std::move(*class_names);
  return images;
}

}  // namespace

Result<Images> loadCifar10(const fs::path& folder) {
  const auto files = trainingFiles(folder);
  if (!files) return files.error();
  return load(kCifar10, *files, folder / "test_batch.bin", folder / "batches.meta.txt");
}

Result<Images> loadCifar100(const fs::path& folder) {
  return load(kCifar100, {folder / "train.bin"}, folder / "test.bin",
              folder / "fine_label_names.txt");
}

}  // namespace sumac::worker
