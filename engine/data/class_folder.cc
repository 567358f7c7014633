#include "engine/data/class_folder.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "base/core/check.h"
#include "base/core/file.h"
#include "base/core/mutex.h"
#include "base/core/units.h"
#include "engine/pictures/picture_head.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

Error unusablePicture(const fs::path& path, const Error& error) {
  return Error{error.code, "cannot use " + path.string() + ": " + error.message};
}

/// The failure of the lowest number among tasks. Any thread.
class FirstFailure {
 public:
  explicit FirstFailure(std::size_t tasks) : end_(tasks) {}

  /// The tasks from here on need not be done.
  std::size_t end() const { return end_; }

  void add(std::size_t task, const Error& error) {
    const MutexLock lock(mutex_);
    if (task >= end_) return;
    end_ = task;
    error_ = error;
  }

  Result<void> result() {
    const MutexLock lock(mutex_);
    return error_ ? Result<void>(*error_) : Result<void>();
  }

 private:
  std::atomic<std::size_t> end_;
  Mutex mutex_;
  std::optional<Error> error_ SUMAC_GUARDED_BY(mutex_);
};

/// Calls work(0) to work(count - 1), each by one of some threads, up to the first that fails. Which
/// one that is does not depend on the threads: whoever comes before it is done.
template <typename Work>
Result<void> doAll(std::size_t count, int threads, const Work& work) {
  FirstFailure failure(count);
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next.fetch_add(1); i < failure.end(); i = next.fetch_add(1)) {
      if (const Result<void> done = work(i); !done) failure.add(i, done.error());
    }
  };
  {
    std::vector<std::jthread> helpers;
    const auto wanted = std::min(static_cast<std::size_t>(threads), count);
    for (std::size_t i = 1; i < wanted; ++i)
      helpers.emplace_back(take);
    take();
  }
  return failure.result();
}

/// The head of a file, which is read as a whole only if it must be.
Result<PictureHead> headOf(const fs::path& path) {
  constexpr std::size_t kEnough = 65'536;  // for most: EXIF data with a small picture are as long
  const auto beginning = readBeginning(path, kEnough);
  if (!beginning) return beginning.error();
  auto head = readPictureHead(*beginning);
  if (!head && beginning->size() == kEnough) {
    const auto whole = readFile(path, kMaxPictureFile);
    if (!whole) return whole.error();
    head = readPictureHead(*whole);
  }
  return head ? head : unusablePicture(path, head.error());
}

std::string describe(const PictureHead& head) {
  const PictureSize size = head.shown();
  return std::to_string(size.height) + "x" + std::to_string(size.width) +
         (head.channels == 1 ? " gray" : " colored");
}

/// Whether two pictures come out alike.
Result<void> requireAlike(const fs::path& first_path, const PictureHead& first,
                          const fs::path& path, const PictureHead& head,
                          const ClassFolderOptions& options) {
  std::string remedy;
  if (!options.resize && head.shown() != first.shown())
    remedy = "set data.resize to the [height, width] that all shall have";
  if (options.channels == 0 && head.channels != first.channels)
    remedy += std::string(remedy.empty() ? "" : ", and ") +
              "set data.channels to 1 (all gray) or 3 (all colored)";
  if (remedy.empty()) return {};
  return Error{ErrorCode::kInvalid, "pictures must be alike, but " + first_path.string() + " is " +
                                        describe(first) + " and " + path.string() + " is " +
                                        describe(head) + ": " + remedy};
}

/// How the user packs what does not fit into memory.
std::string packCommand(const fs::path& folder, const ClassFolderOptions& options) {
  const std::string file = folder.lexically_normal().filename().string() + kPackedEnding;
  std::string command = "sumac data pack " + folder.string() + " " + file;
  if (const auto& resize = options.resize) {
    command += " --resize " + std::to_string(resize->height) + "x" + std::to_string(resize->width);
  }
  if (options.channels > 0) command += " --channels " + std::to_string(options.channels);
  return command;
}

Result<void> requireRoom(const fs::path& folder, std::uint64_t pictures, const model::Shape& shape,
                         const ClassFolderOptions& options) {
  const auto one = static_cast<std::uint64_t>(model::count(shape));
  if (pictures <= options.max_bytes / one) return {};
  return Error{ErrorCode::kInvalid,
               "cannot use " + folder.string() + ": its " + std::to_string(pictures) +
                   " pictures of " + model::toString(shape) + " take " + bytesText(pictures * one) +
                   ", and at most " + bytesText(options.max_bytes) +
                   " are kept in memory; pack them with `" + packCommand(folder, options) +
                   "` and train on that file, or make them smaller with data.resize"};
}

/// Makes samples of pictures; all are decoded.
Result<Samples> samplesOf(std::span<const ListedPicture> pictures, const model::Shape& shape,
                          const ClassFolderOptions& options) {
  Samples samples{.shape = shape};
  samples.pixels.resize(pictures.size() * static_cast<std::size_t>(model::count(shape)));
  if (auto decoded = decodePictures(pictures, shape, options, samples.pixels); !decoded)
    return decoded.error();
  for (const ListedPicture& picture : pictures)
    samples.labels.push_back(picture.label);
  return samples;
}

}  // namespace

Result<PictureRange> rangeOfPictures(const ClassListing& listing, int threads) {
  std::vector<ListedPicture> pictures = listing.train;
  pictures.insert(pictures.end(), listing.test.begin(), listing.test.end());
  std::vector<PictureHead> heads(pictures.size());
  const auto read = doAll(pictures.size(), threads, [&](std::size_t i) -> Result<void> {
    const auto head = headOf(pictures[i].path);
    if (!head) return head.error();
    heads[i] = *head;
    return {};
  });
  if (!read) return read.error();
  PictureRange range{.least = heads.front().shown(), .greatest = heads.front().shown()};
  for (const PictureHead& head : heads) {
    const PictureSize size = head.shown();
    range.least = {std::min(range.least.height, size.height),
                   std::min(range.least.width, size.width)};
    range.greatest = {std::max(range.greatest.height, size.height),
                      std::max(range.greatest.width, size.width)};
    (head.channels == 1 ? range.has_gray : range.has_color) = true;
  }
  return range;
}

ClassFolderOptions folderOptions(const job::DataSpec& data, int threads) {
  ClassFolderOptions options{.channels = data.channels, .threads = threads};
  if (data.resize) options.resize = PictureSize{data.resize->height, data.resize->width};
  return options;
}

Result<model::Shape> shapeOfPictures(const ClassListing& listing,
                                     const ClassFolderOptions& options) {
  const std::size_t trained = listing.train.size();
  const auto pathOf = [&](std::size_t i) -> const fs::path& {
    return i < trained ? listing.train[i].path : listing.test[i - trained].path;
  };
  const auto first = headOf(pathOf(0));
  if (!first) return first.error();
  const auto compared = doAll(trained + listing.test.size(), options.threads, [&](std::size_t i) {
    const auto head = headOf(pathOf(i));
    return head ? requireAlike(pathOf(0), *first, pathOf(i), *head, options)
                : Result<void>(head.error());
  });
  if (!compared) return compared.error();
  const PictureSize size = options.resize.value_or(first->shown());
  return model::Shape{options.channels == 0 ? first->channels : options.channels, size.height,
                      size.width};
}

Result<void> decodePictures(std::span<const ListedPicture> pictures, const model::Shape& shape,
                            const ClassFolderOptions& options, std::span<std::uint8_t> pixels) {
  const auto size = static_cast<std::size_t>(model::count(shape));
  SUMAC_CHECK(pixels.size() == pictures.size() * size, pixels.size(), pictures.size(), size);
  const DecodeOptions decode{.channels = static_cast<int>(shape[0]), .resize = options.resize};
  return doAll(pictures.size(), options.threads, [&](std::size_t i) -> Result<void> {
    const fs::path& path = pictures[i].path;
    const auto bytes = readFile(path, kMaxPictureFile);
    if (!bytes) return bytes.error();
    const auto picture = decodePicture(*bytes, decode);
    if (!picture) return unusablePicture(path, picture.error());
    if (model::Shape{picture->channels, picture->height, picture->width} != shape)
      return Error{ErrorCode::kConflict, path.string() + " has changed while it was read"};
    std::ranges::copy(picture->pixels, pixels.begin() + static_cast<std::ptrdiff_t>(i * size));
    return {};
  });
}

Result<ClassFolder> loadClassFolder(const fs::path& folder, const ClassFolderOptions& options) {
  auto listing = listClasses(folder);
  if (!listing) return listing.error();
  const auto shape = shapeOfPictures(*listing, options);
  if (!shape) return shape.error();
  const std::size_t pictures = listing->train.size() + listing->test.size();
  if (auto has_room = requireRoom(folder, pictures, *shape, options); !has_room)
    return has_room.error();
  ClassFolder loaded;
  for (const auto& [split, samples] : {std::pair(&listing->train, &loaded.images.train),
                                       std::pair(&listing->test, &loaded.images.test)}) {
    auto made = samplesOf(*split, *shape, options);
    if (!made) return made.error();
    *samples = *std::move(made);
  }
  loaded.images.classes = static_cast<int>(listing->classes.size());
  loaded.images.class_names = std::move(listing->classes);
  loaded.warning = std::move(listing->warning);
  return loaded;
}

}  // namespace sumac::worker
