#include "engine/data/idx_images.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/core/file.h"
#include "engine/data/idx.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr int kIdxClasses = 10;

/// The file `name`, plain or compressed.
Result<fs::path> findFile(const fs::path& folder, const std::string& name) {
  for (const std::string& variant : {name, name + ".gz"}) {
    fs::path path = folder / variant;
    const auto is_there = isThere(path);
    if (!is_there) return is_there.error();
    if (*is_there) return path;
  }
  return Error{ErrorCode::kNotFound, "cannot find " + (folder / name).string() +
                                         ", neither plain nor as .gz; an IDX data set is four files"
                                         " {train,t10k}-{images-idx3,labels-idx1}-ubyte"};
}

Result<void> checkLabels(const std::vector<std::uint8_t>& labels, const fs::path& path) {
  const auto bad =
      std::find_if(labels.begin(), labels.end(), [](std::uint8_t l) { return l >= kIdxClasses; });
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
  return Samples{.shape = {1, images->extents[1], images->extents[2]},
                 .pixels = std::move(images->values),
                 .labels = {labels->values.begin(), labels->values.end()}};
}

}  // namespace

Result<Images> loadIdxImages(const fs::path& folder) {
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
  return Images{.train = std::move(*train), .test = std::move(*test), .classes = kIdxClasses};
}

}  // namespace sumac::worker
