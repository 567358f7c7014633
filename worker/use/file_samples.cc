#include "worker/use/file_samples.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/check.h"
#include "base/core/file.h"
#include "engine/data/class_folder.h"
#include "engine/data/csv_samples.h"
#include "engine/data/idx.h"
#include "engine/data/npy.h"
#include "engine/pictures/picture.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

enum class FileKind : std::uint8_t { kIdx, kPicture, kNpy, kCsv };

Error unusableFile(const fs::path& file, const std::string& what) {
  return Error{ErrorCode::kInvalid, "cannot use " + file.string() + ": " + what};
}

Result<FileKind> kindOf(const fs::path& file) {
  using namespace std::string_view_literals;
  constexpr std::size_t kEnough = 8;
  const auto bytes = readBeginning(file, kEnough);
  if (!bytes) return bytes.error();
  const std::string_view beginning = asText(*bytes);
  if (beginning.starts_with("\x89PNG"sv) || beginning.starts_with("\xFF\xD8"sv))
    return FileKind::kPicture;
  if (beginning.starts_with("\x93NUMPY"sv)) return FileKind::kNpy;
  if (beginning.starts_with("\0\0"sv) || beginning.starts_with("\x1F\x8B"sv)) return FileKind::kIdx;
  // Damaged files are refused by who reads them.
  const std::string name = file.filename().string();
  if (isPictureName(name)) return FileKind::kPicture;
  if (name.ends_with(".npy")) return FileKind::kNpy;
  if (name.ends_with(".csv")) return FileKind::kCsv;
  if (name.ends_with("-ubyte") || name.ends_with(".gz")) return FileKind::kIdx;
  return unusableFile(file,
                      "it is none of what is read: pictures (.png, .jpg, .jpeg), arrays of numpy "
                      "(.npy), tables (.csv), images in the idx format (plain or .gz)");
}

Result<void> checkShape(const fs::path& file, const model::Shape& shape, const ModelFile& model) {
  if (shape == model.network.input) return {};
  if (shape.size() != model.network.input.size()) {
    return unusableFile(file, "it has images, the model takes " +
                                  model::toString(model.network.input) +
                                  " values: name tables (.csv) or arrays (.npy) of these");
  }
  return unusableFile(file, "it has " + model::toString(shape) + " images, the model takes " +
                                model::toString(model.network.input) +
                                " (channels x rows x columns): scale it to that, or train with "
                                "data.resize and data.channels, which predicting then follows");
}

Result<Samples> idxSamples(const fs::path& file, const ModelFile& model) {
  auto images = readIdx(file, /*rank=*/3);
  if (!images) return images.error();
  const auto& extents = images->extents;
  const model::Shape shape{1, extents[1], extents[2]};
  if (auto fits = checkShape(file, shape, model); !fits) return fits.error();
  return Samples{.shape = shape,
                 .pixels = std::move(images->values),
                 .labels = std::vector<std::uint16_t>(extents[0])};
}

Result<Samples> pictureSample(const fs::path& file, const ModelFile& model) {
  const auto bytes = readFile(file, kMaxPictureFile);
  if (!bytes) return bytes.error();
  auto picture = decodePicture(*bytes, model.pictures);
  if (!picture) {
    return Error{picture.error().code,
                 "cannot use " + file.string() + ": " + picture.error().message};
  }
  model::Shape shape{picture->channels, picture->height, picture->width};
  if (auto fits = checkShape(file, shape, model); !fits) return fits.error();
  return Samples{.shape = std::move(shape), .pixels = std::move(picture->pixels), .labels = {0}};
}

Result<Samples> tableSamples(const fs::path& file, const ModelFile& model) {
  if (model.columns.columns.empty())
    return unusableFile(file, "the model was not trained on a table, or does not say its columns");
  return loadCsvSamples(file, model.columns);
}

Result<Samples> read(const fs::path& file, FileKind kind, const ModelFile& model) {
  switch (kind) {
    case FileKind::kIdx: return idxSamples(file, model);
    case FileKind::kPicture: return pictureSample(file, model);
    case FileKind::kNpy: return loadNpySamples(file, model.network.input);
    case FileKind::kCsv: return tableSamples(file, model);
  }
  failCheck("a kind of file is one of the enumerators", "");
}

}  // namespace

Result<FileSamples> samplesIn(const fs::path& file, const ModelFile& model) {
  const auto kind = kindOf(file);
  if (!kind) return kind.error();
  auto samples = read(file, *kind, model);
  if (!samples) return samples.error();
  const bool are_pixels = samples->values.empty();
  if (are_pixels != (model.task == ModelTask::kImages)) {
    return unusableFile(file, are_pixels ? "it has pixels, the model was trained on other values: "
                                           "of an array write x.astype('float32')"
                                         : "it has values, the model takes pixels from 0 to 255: "
                                           "of an array write x.astype('uint8')");
  }
  samples->normalization = model.normalization;
  return FileSamples{*std::move(samples), *kind == FileKind::kPicture};
}

}  // namespace sumac::worker
