#include "engine/data/dataset.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/check.h"
#include "base/core/crc32c.h"
#include "base/core/file.h"
#include "engine/data/cifar.h"
#include "engine/data/class_folder.h"
#include "engine/data/csv_table.h"
#include "engine/data/data_folder.h"
#include "engine/data/fingerprint.h"
#include "engine/data/generated.h"
#include "engine/data/idx_images.h"
#include "engine/data/normalization.h"
#include "engine/data/npy.h"
#include "engine/data/packed_dataset.h"
#include "engine/data/validation.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 1> kNames{"fashion-mnist-mini"};

std::uint32_t fingerprintOf(std::span<const std::int32_t> tokens, std::uint32_t crc) {
  crc = crc32c(asBytes(std::to_string(tokens.size()) + ":"), crc);
  return crc32c(std::as_bytes(tokens), crc);
}

template <typename Loaded>
Result<Dataset> datasetOf(Result<Loaded> loaded) {
  if (!loaded) return loaded.error();
  return makeDataset(*std::move(loaded));
}

Result<Dataset> tableOf(const job::DataSpec& data) {
  auto table = loadCsv(data.path, data.label);
  if (!table) return table.error();
  Dataset dataset = makeDataset(std::move(table->images));
  dataset.columns = std::move(table->columns);
  return dataset;
}

Result<Dataset> picturesOf(const job::DataSpec& data, int threads) {
  const ClassFolderOptions options = folderOptions(data, threads);
  auto loaded = loadClassFolder(data.path, options);
  if (!loaded) return loaded.error();
  Dataset dataset = makeDataset(std::move(loaded->images));
  dataset.pictures = {.channels = options.channels, .resize = options.resize};
  dataset.warning = std::move(loaded->warning);
  return dataset;
}

/// There is nothing to measure with: folders of pictures, tables, and what is packed of them have a
/// test split only if it is wanted.
Error noTest(const job::DataSpec& data) {
  const auto error = [](const std::string& missing, const std::string& remedy) {
    return Error{ErrorCode::kNotFound,
                 missing + " to measure with: " + remedy + " back with data.validation"};
  };
  const fs::path path = data.path;
  if (data.format == job::DataFormat::kPacked)
    return error(data.path + " has no test samples", "hold some of the others");
  if (data.format == job::DataFormat::kCsv) {
    return error("there is no " + (path / "test.csv").string(),
                 "move some lines of train.csv there, under the same header, or hold some");
  }
  return error("there is no folder " + (path / "test").string(),
               "move some pictures of each class to test/CLASS, or hold some of train");
}

/// Mean and deviation of the training samples that are not held back. Of a packed file they are
/// known, or follow from what is held back: of the others, nothing is read but values.
Normalization normalizationOfTraining(const Images& images, const PackedDescription* known) {
  if (known == nullptr) return meanAndDeviation(images.train);
  if (images.validation.count() == 0) return known->normalization;
  if (!known->are_pixels) return meanAndDeviation(images.train);
  PixelSums sums = known->sums;
  sums.remove(pixelSums(images.validation));
  return normalizationOf(sums, images.train.shape, images.train.count());
}

/// Splits and normalizes loaded samples as the job says. Their fingerprint is that of the files.
/// `known` is of a packed file, else null.
Result<Dataset> prepared(Result<Dataset> loaded, const job::DataSpec& data,
                         const LoadOptions& options, const PackedDescription* known = nullptr) {
  if (!loaded || loaded->kind() == DataKind::kText) return loaded;
  Images& images = loaded->images;
  const bool can_measure = images.test.count() > 0 || data.validation > 0;
  if (!can_measure && !options.may_lack_test) return noTest(data);
  if (data.validation > 0 && images.train.count() < 2) {
    return Error{ErrorCode::kInvalid,
                 "spec.data.validation: there is one training sample alone, which cannot be split"};
  }
  splitValidation(images, data.validation, options.seed);
  if (data.normalize == job::Normalize::kMeanStd) {
    const Normalization normalization = normalizationOfTraining(images, known);
    for (Samples* const split : {&images.train, &images.validation, &images.test})
      split->normalization = normalization;
  }
  return loaded;
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
  return datasetOf(loadIdxImages(*folder));
}

Result<Dataset> generate(const job::DataSpec& data) {
  if (!data.generated) {
    return Error{ErrorCode::kInvalid, "cannot generate data: spec.data.generated is not given"};
  }
  const job::GeneratedData& wanted = *data.generated;
  if (wanted.vocabulary == 0) {
    return datasetOf(generateImages({.train_samples = wanted.train_samples,
                                     .test_samples = wanted.test_samples,
                                     .shape = wanted.shape,
                                     .classes = wanted.classes}));
  }
  return datasetOf(generateText({.train_tokens = wanted.train_tokens,
                                 .test_tokens = wanted.test_tokens,
                                 .vocabulary = wanted.vocabulary}));
}

/// The error of data that are not in a folder.
Error noFolder(const std::string& path) {
  const auto is_there = isThere(path);
  if (is_there && *is_there) {
    return Error{ErrorCode::kNotFound,
                 path + " is a file; name the folder that the files of the data are in"};
  }
  return Error{ErrorCode::kNotFound, "cannot find the folder " + path};
}

/// As the files have them.
Result<Dataset> load(const job::DataSpec& data, const LoadOptions& options) {
  if (!data.name.empty()) return loadNamed(data.name, options.data_folder);
  if (!data.format) {
    return Error{ErrorCode::kInvalid, "cannot load data: neither a name nor a format is given"};
  }
  if (*data.format != job::DataFormat::kGenerated && data.path.empty()) {
    return Error{ErrorCode::kInvalid, "cannot load data: no path is given"};
  }
  const auto found = data.path.empty() ? Result<bool>(true) : isFolder(data.path);
  if (!found) return found.error();
  if (!*found) return noFolder(data.path);
  switch (*data.format) {
    case job::DataFormat::kIdx: return datasetOf(loadIdxImages(data.path));
    case job::DataFormat::kCifar10: return datasetOf(loadCifar10(data.path));
    case job::DataFormat::kCifar100: return datasetOf(loadCifar100(data.path));
    case job::DataFormat::kCsv: return tableOf(data);
    case job::DataFormat::kNpy: return datasetOf(loadNpy(data.path));
    case job::DataFormat::kFolder: return picturesOf(data, options.threads);
    case job::DataFormat::kText: return datasetOf(loadText(data.path));
    case job::DataFormat::kPacked: break;  // loadDataset() opens it
    case job::DataFormat::kGenerated: return generate(data);
  }
  failCheck("a data format is one of the enumerators", "");
}

}  // namespace

std::uint64_t bytesOf(const Dataset& dataset) {
  std::uint64_t bytes = 0;
  const Images& images = dataset.images;
  for (const Samples* samples : {&images.train, &images.validation, &images.test}) {
    bytes += samples->pixels.size() + samples->values.size() * sizeof(float) +
             samples->labels.size() * sizeof(std::uint16_t);
  }
  for (const auto* words : {&dataset.text.train, &dataset.text.valid, &dataset.text.test})
    bytes += words->size() * sizeof(std::int32_t);
  return bytes;
}

Dataset makeDataset(Images images) {
  Dataset dataset;
  Fingerprint fingerprint;
  fingerprint.add(images.train);
  fingerprint.add(images.test);
  if (images.validation.count() > 0) fingerprint.add(images.validation);
  fingerprint.addNames(images.class_names);
  dataset.fingerprint = fingerprint.value();
  dataset.images = std::move(images);
  return dataset;
}

Dataset makeDataset(Text text) {
  Dataset dataset;
  std::uint32_t crc = crc32c(asBytes("text:"));
  for (const std::string& word : text.vocabulary)
    crc = crc32c(asBytes(word + "\n"), crc);
  for (const auto* const tokens : {&text.train, &text.valid, &text.test})
    crc = fingerprintOf(*tokens, crc);
  dataset.fingerprint = crc;
  dataset.text = std::move(text);
  return dataset;
}

Result<Dataset> loadDataset(const job::DataSpec& data, const LoadOptions& options) {
  const fs::path& cached = options.packed;
  if (cached.empty() && data.format != job::DataFormat::kPacked)
    return prepared(load(data, options), data, options);
  auto packed = openPacked(cached.empty() ? fs::path(data.path) : cached);
  if (!packed) return packed.error();
  return prepared(std::move(packed->dataset), data, options, &packed->description);
}

}  // namespace sumac::worker
