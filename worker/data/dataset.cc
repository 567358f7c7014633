#include "worker/data/dataset.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "common/base/crc32c.h"
#include "worker/data/data_folder.h"
#include "worker/data/idx.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr int kClasses = 10;
constexpr std::array<std::string_view, 1> kNames{"fashion-mnist-mini"};

constexpr std::array<float, 256> makeScaled() {
  std::array<float, 256> scaled{};
  for (std::size_t pixel = 0; pixel < scaled.size(); ++pixel) {
    scaled[pixel] = static_cast<float>(pixel) / 255.0F;
  }
  return scaled;
}
constexpr std::array<float, 256> kScaled = makeScaled();

/// The file `name` as it is or compressed.
Result<fs::path> findFile(const fs::path& folder, const std::string& name) {
  for (const std::string& variant : {name, name + ".gz"}) {
    fs::path path = folder / variant;
    std::error_code absent;
    if (fs::exists(path, absent)) return path;
  }
  return Error{ErrorCode::kNotFound, "cannot find " + (folder / name).string() +
                                         ", neither plain nor as .gz; an IDX data set is four files"
                                         " {train,t10k}-{images-idx3,labels-idx1}-ubyte"};
}

Result<void> checkLabels(const std::vector<std::uint8_t>& labels, const fs::path& path) {
  const auto bad =
      std::find_if(labels.begin(), labels.end(), [](std::uint8_t l) { return l >= kClasses; });
  if (bad == labels.end()) return {};
  return Error{ErrorCode::kInvalid, "cannot use " + path.string() + ": found label " +
                                        std::to_string(*bad) + " at sample " +
                                        std::to_string(bad - labels.begin()) +
                                        ", expected labels from 0 to 9"};
}

/// Images and labels of one split: `prefix` is "train" or "t10k".
Result<Samples> loadSplit(const fs::path& folder, const std::string& prefix) {
  const auto images_path = findFile(folder, prefix + "-images-idx3-ubyte");
  if (!images_path) return images_path.error();
  const auto labels_path = findFile(folder, prefix + "-labels-idx1-ubyte");
  if (!labels_path) return labels_path.error();
  auto images = readIdx(*images_path, /*rank=*/3);
  if (!images) return images.error();
  auto labels = readIdx(*labels_path, /*rank=*/1);
  if (!labels) return labels.error();

  if (images->values.empty()) {
    return Error{ErrorCode::kInvalid,
                 "cannot use " + images_path->string() + ": found no pixels, expected images"};
  }
  if (images->extents[0] != labels->extents[0]) {
    return Error{ErrorCode::kInvalid,
                 "cannot use " + labels_path->string() + ": found " +
                     std::to_string(labels->extents[0]) + " labels, expected one for each of the " +
                     std::to_string(images->extents[0]) + " images of " + images_path->string()};
  }
  if (auto valid = checkLabels(labels->values, *labels_path); !valid) return valid.error();
  return Samples{{1, images->extents[1], images->extents[2]},
                 std::move(images->values),
                 std::move(labels->values)};
}

std::uint32_t fingerprintOf(const Samples& samples, std::uint32_t crc) {
  const std::string shape =
      std::to_string(samples.count()) + "x" + model::toString(samples.shape) + ":";
  crc = crc32c(asBytes(shape), crc);
  crc = crc32c(std::as_bytes(std::span(samples.pixels)), crc);
  return crc32c(std::as_bytes(std::span(samples.labels)), crc);
}

Result<Dataset> loadIdx(const fs::path& folder) {
  auto train = loadSplit(folder, "train");
  if (!train) return train.error();
  auto test = loadSplit(folder, "t10k");
  if (!test) return test.error();
  if (train->shape != test->shape) {
    return Error{ErrorCode::kInvalid,
                 "cannot use " + folder.string() + ": images of " + model::toString(test->shape) +
                     " in " + "t10k-images-idx3-ubyte, expected " + model::toString(train->shape) +
                     " as in " + "train-images-idx3-ubyte"};
  }
  const std::uint32_t fingerprint = fingerprintOf(*test, fingerprintOf(*train, 0));
  return Dataset{std::move(*train), std::move(*test), kClasses, fingerprint};
}

Result<Dataset> loadNamed(const std::string& name, const fs::path& data_folder) {
  if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) {
    std::string known;
    for (const std::string_view one : kNames)
      known += " " + std::string(one);
    return Error{ErrorCode::kNotFound, "there is no data set '" + name +
                                           "' that comes with the product, which has" + known};
  }
  const auto folder = findDataFolder(name, data_folder);
  if (!folder) return folder.error();
  return loadIdx(*folder);
}

}  // namespace

Result<Dataset> loadDataset(const job::DataSpec& data, const fs::path& data_folder) {
  if (!data.name.empty()) return loadNamed(data.name, data_folder);
  if (data.path.empty()) {
    return Error{ErrorCode::kInvalid, "cannot load data: neither a name nor a path is given"};
  }
  if (data.format != job::DataFormat::kIdx) {
    return Error{ErrorCode::kUnsupported,
                 "cannot load " + data.path + ": its format is not available yet, only idx is"};
  }
  return loadIdx(data.path);
}

void gather(const Samples& samples, std::span<const std::int64_t> indices, std::span<float> inputs,
            std::span<std::int32_t> labels) {
  const auto size = static_cast<std::size_t>(model::count(samples.shape));
  SUMAC_CHECK(inputs.size() == indices.size() * size, inputs.size(), indices.size(), size);
  SUMAC_CHECK(labels.size() == indices.size(), labels.size(), indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    SUMAC_CHECK(indices[i] >= 0 && indices[i] < samples.count(), indices[i], samples.count());
    const auto index = static_cast<std::size_t>(indices[i]);
    const auto pixels = std::span(samples.pixels).subspan(index * size, size);
    std::transform(pixels.begin(), pixels.end(), inputs.subspan(i * size, size).begin(),
                   [](std::uint8_t pixel) { return kScaled[pixel]; });
    labels[i] = samples.labels[index];
  }
}

}  // namespace sumac::worker
