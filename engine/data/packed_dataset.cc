#include "engine/data/packed_dataset.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/core/file.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

Error unusablePacked(const fs::path& path, const std::string& what) {
  return Error{ErrorCode::kInvalid, "cannot use " + path.string() + ": " + what};
}

/// The one packed file in a folder.
Result<fs::path> onlyPackIn(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(kPackedEnding) && !name.starts_with('.')) found.push_back(entry->path());
  }
  if (failure) {
    return Error{errorCodeOf(failure), "cannot list " + folder.string() + ": " + failure.message()};
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return Error{ErrorCode::kNotFound, "there is no packed file (*" + std::string(kPackedEnding) +
                                           ") in " + folder.string() +
                                           "; `sumac data pack DIR FILE` makes one of a data set"};
  }
  std::ranges::sort(found);
  return unusablePacked(folder, "it has several packed files, such as " +
                                    found[0].filename().string() + " and " +
                                    found[1].filename().string() + "; name one of them");
}

Result<fs::path> packAt(const fs::path& path) {
  const auto is_there = isThere(path);
  if (!is_there) return is_there.error();
  if (!*is_there) {
    return Error{ErrorCode::kNotFound, "cannot find the packed file " + path.string() +
                                           "; `sumac data pack DIR FILE` makes one of a data set"};
  }
  const auto is_folder = isFolder(path);
  if (!is_folder) return is_folder.error();
  return *is_folder ? onlyPackIn(path) : Result<fs::path>(path);
}

Result<void> checkSizes(const PackedDescription& description, const PackedFile::Opened& opened) {
  const PackedOpening& opening = opened.file->opening();
  const fs::path& path = opened.file->path();
  if (opening.sample_bytes != description.sampleBytes() || opening.train == 0) {
    return unusablePacked(path,
                          "its sizes are not those of its description; pack it again with "
                          "`sumac data pack`");
  }
  const auto wrong =
      std::ranges::find_if(opened.labels, [&](int label) { return label >= description.classes; });
  if (wrong == opened.labels.end()) return {};
  return unusablePacked(path, "found label " + std::to_string(*wrong) + " at sample " +
                                  std::to_string(wrong - opened.labels.begin()) +
                                  ", expected labels below " + std::to_string(description.classes) +
                                  "; pack it again with `sumac data pack`");
}

Samples partOf(const PackedFile::Opened& opened, const PackedDescription& description,
               std::uint64_t first, std::uint64_t count, const ValueRange& range) {
  const auto labels = opened.labels.begin() + static_cast<std::ptrdiff_t>(first);
  return {.shape = description.shape,
          .labels = {labels, labels + static_cast<std::ptrdiff_t>(count)},
          .packed = {.file = opened.file,
                     .are_pixels = description.are_pixels,
                     .first = first,
                     .range = range}};
}

}  // namespace

Result<PackedDataset> openPacked(const fs::path& path) {
  const auto file = packAt(path);
  if (!file) return file.error();
  const auto opened = PackedFile::open(*file);
  if (!opened) return opened.error();
  auto description = readPackedDescription(opened->description);
  if (!description) return unusablePacked(*file, description.error().message);
  if (auto checked = checkSizes(*description, *opened); !checked) return checked.error();
  const PackedOpening& opening = opened->file->opening();
  PackedDataset packed{.dataset = {}, .description = *std::move(description)};
  const PackedDescription& known = packed.description;
  Dataset& dataset = packed.dataset;
  dataset.images.train = partOf(*opened, known, 0, opening.train, known.train);
  dataset.images.test = partOf(*opened, known, opening.train, opening.test, known.test);
  dataset.images.classes = known.classes;
  dataset.images.class_names = known.class_names;
  dataset.columns = known.columns;
  dataset.pictures = known.pictures;
  dataset.fingerprint = known.fingerprint;
  return packed;
}

}  // namespace sumac::worker
