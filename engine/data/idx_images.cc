#include "engine/data/idx_images.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/core/file.h"
#include "engine/data/class_names.h"
#include "engine/data/idx.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

/// The first of these files that is there, plain or compressed.
Result<fs::path> findFile(const fs::path& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    for (const std::string& variant : {name, name + ".gz"}) {
      fs::path path = folder / variant;
      const auto is_there = isThere(path);
      if (!is_there) return is_there.error();
      if (*is_there) return path;
    }
  }
  return Error{ErrorCode::kNotFound, "cannot find " + (folder / names.front()).string() +
                                         ", neither plain nor as .gz; an IDX data set is four files"
                                         " {train,t10k}-{images-idx3,labels-idx1}-ubyte"};
}

Error badLabel(const fs::path& path, std::int64_t label, std::int64_t sample,
               const std::string& problem) {
  return Error{ErrorCode::kInvalid, "cannot use " + path.string() + ": found label " +
                                        std::to_string(label) + " at sample " +
                                        std::to_string(sample) + ", " + problem};
}

/// One split, and the file that its labels are from.
struct Split {
  Samples samples;
  fs::path labels_path;
};

/// As the samples keep them.
Result<std::vector<std::uint16_t>> narrowed(const std::vector<std::int32_t>& labels,
                                            const fs::path& path) {
  std::vector<std::uint16_t> narrow;
  narrow.reserve(labels.size());
  for (const std::int32_t label : labels) {
    if (label < 0 || label >= kMaxClasses) {
      return badLabel(path, label, std::ssize(narrow),
                      "expected labels from 0 to " + std::to_string(kMaxClasses - 1) +
                          "; number the classes from 0 on");
    }
    narrow.push_back(static_cast<std::uint16_t>(label));
  }
  return narrow;
}

/// Images and labels of one split: `prefix` is "train" or "t10k".
Result<Split> loadSplit(const fs::path& folder, const std::string& prefix) {
  const auto images_path = findFile(folder, {prefix + "-images-idx3-ubyte"});
  if (!images_path) return images_path.error();
  const auto labels_path =
      findFile(folder, {prefix + "-labels-idx1-ubyte", prefix + "-labels-idx1-int"});
  if (!labels_path) return labels_path.error();
  auto images = readIdx(*images_path, /*rank=*/3);
  if (!images) return images.error();
  const auto labels = readIdxLabels(*labels_path);
  if (!labels) return labels.error();

  if (images->values.empty()) {
    return Error{ErrorCode::kInvalid,
                 "cannot use " + images_path->string() + ": found no pixels, expected images"};
  }
  if (images->extents[0] != labels->size()) {
    return Error{ErrorCode::kInvalid,
                 "cannot use " + labels_path->string() + ": found " +
                     std::to_string(labels->size()) + " labels, expected one for each of the " +
                     std::to_string(images->extents[0]) + " images of " + images_path->string()};
  }
  auto narrow = narrowed(*labels, *labels_path);
  if (!narrow) return narrow.error();
  return Split{{.shape = {1, images->extents[1], images->extents[2]},
                .pixels = std::move(images->values),
                .labels = std::move(*narrow)},
               *labels_path};
}

/// The training labels decide: nobody learns a class that only the test data have.
Result<int> classesOf(const Split& train, const Split& test) {
  const int classes = *std::ranges::max_element(train.samples.labels) + 1;
  if (classes < 2) {
    return Error{ErrorCode::kInvalid, "cannot use " + train.labels_path.string() +
                                          ": found label 0 alone, expected two classes or more"};
  }
  const auto unknown =
      std::ranges::find_if(test.samples.labels, [&](int l) { return l >= classes; });
  if (unknown == test.samples.labels.end()) return classes;
  return badLabel(test.labels_path, *unknown, unknown - test.samples.labels.begin(),
                  "but those of " + train.labels_path.string() + " go from 0 to " +
                      std::to_string(classes - 1) +
                      ": remove such samples, or add some of this class to the training data");
}

}  // namespace

Result<Images> loadIdxImages(const fs::path& folder) {
  auto train = loadSplit(folder, "train");
  if (!train) return train.error();
  auto test = loadSplit(folder, "t10k");
  if (!test) return test.error();
  if (train->samples.shape != test->samples.shape) {
    return Error{ErrorCode::kInvalid, "cannot use " + folder.string() + ": images of " +
                                          model::toString(test->samples.shape) +
                                          " in t10k-images-idx3-ubyte, expected " +
                                          model::toString(train->samples.shape) +
                                          " as in train-images-idx3-ubyte"};
  }
  const auto classes = classesOf(*train, *test);
  if (!classes) return classes.error();
  auto names = readClassNames(folder / "classes.txt", *classes);
  if (!names) return names.error();
  return Images{.train = std::move(train->samples),
                .test = std::move(test->samples),
                .classes = *classes,
                .class_names = std::move(*names)};
}

}  // namespace sumac::worker
