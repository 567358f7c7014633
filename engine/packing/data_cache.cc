#include "engine/packing/data_cache.h"

#include <chrono>
#include <system_error>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "base/core/sha256.h"
#include "engine/data/packed_dataset.h"
#include "engine/packed/packed_head.h"
#include "engine/packing/pack_dataset.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

/// The bytes of all pictures, decoded. Those of a folder must be alike, so the first tells; if they
/// are not, whoever decodes them says so.
Result<std::uint64_t> decodedBytes(const ClassListing& listing, const ClassFolderOptions& options) {
  ClassListing first;
  first.train = {listing.train.front()};
  const auto shape = shapeOfPictures(first, options);
  if (!shape) return shape.error();
  return (listing.train.size() + listing.test.size()) *
         static_cast<std::uint64_t>(model::count(*shape));
}

/// How the pixels are made.
std::string makingOf(const job::DataSpec& data) {
  std::string making = "channels " + std::to_string(data.channels);
  if (const auto& resize = data.resize) {
    making += ", resize " + std::to_string(resize->height) + "x" + std::to_string(resize->width);
  }
  return making + "\n";
}

/// Another one for other files: names, sizes and times of all, and what is made of them.
Result<std::string> sourceOf(const ClassListing& listing, const job::DataSpec& data) {
  std::string text = makingOf(data);
  for (const auto* split : {&listing.train, &listing.test}) {
    for (const ListedPicture& picture : *split) {
      std::error_code failure;
      const auto bytes = fs::file_size(picture.path, failure);
      const auto time = failure ? fs::file_time_type() : fs::last_write_time(picture.path, failure);
      if (failure) {
        return Error{errorCodeOf(failure),
                     "cannot examine " + picture.path.string() + ": " + failure.message()};
      }
      text += picture.path.string() + '\0' + std::to_string(bytes) + ' ' +
              std::to_string(time.time_since_epoch().count()) + '\n';
    }
  }
  return sha256Hex(asBytes(text));
}

/// One for each folder and each way to make pixels of it.
fs::path fileFor(const fs::path& folder, const job::DataSpec& data) {
  constexpr std::size_t kDigits = 12;
  const fs::path path = fs::path(data.path).lexically_normal();
  const fs::path named = path.has_filename() ? path : path.parent_path();
  const std::string digits = sha256Hex(asBytes(path.string() + '\0' + makingOf(data)));
  return folder / (named.filename().string() + "-" + digits.substr(0, kDigits) + kPackedEnding);
}

/// Whether the file was packed from the same.
bool isOf(const fs::path& file, const std::string& source) {
  const auto is_there = isThere(file);
  if (!is_there || !*is_there) return false;
  const auto packed = openPacked(file);
  return packed && packed->description.source == source;
}

Result<void> makeFolder(const fs::path& folder) {
  if (folder.empty()) {
    return Error{ErrorCode::kInvalid,
                 "neither XDG_CACHE_HOME nor HOME says where packed files can be kept; set one of "
                 "them, or pack the pictures with `sumac data pack` and train on that file"};
  }
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (!failure) return {};
  return Error{errorCodeOf(failure), "cannot create " + folder.string() + ": " + failure.message() +
                                         "; XDG_CACHE_HOME names another place"};
}

}  // namespace

fs::path cacheFolder() {
  return userCache("data");
}

Result<CachedPack> packIntoCache(const job::DataSpec& data, const CacheOptions& options) {
  if (data.format != job::DataFormat::kFolder) return CachedPack();
  const auto listing = listClasses(data.path);
  if (!listing) return listing.error();
  const auto bytes = decodedBytes(*listing, folderOptions(data, options.threads));
  if (!bytes) return bytes.error();
  if (*bytes <= options.max_bytes) return CachedPack();
  const auto source = sourceOf(*listing, data);
  if (!source) return source.error();
  CachedPack pack{.file = fileFor(options.folder, data), .warning = listing->warning};
  if (isOf(pack.file, *source)) return pack;
  if (auto made = makeFolder(options.folder); !made) return made.error();
  if (options.on_begin) options.on_begin(pack.file, *bytes);
  const auto packed = packDataset(data, pack.file,
                                  {.threads = options.threads,
                                   .replace = Replace::kIfThere,
                                   .source = *source,
                                   .on_progress = options.on_progress});
  if (!packed) return packed.error();
  return pack;
}

}  // namespace sumac::worker
