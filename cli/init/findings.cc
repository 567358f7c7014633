#include "cli/init/findings.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "base/core/text.h"
#include "base/core/units.h"
#include "cli/init/layouts.h"
#include "engine/data/class_listing.h"
#include "engine/data/csv.h"
#include "engine/data/csv_header.h"
#include "engine/data/dataset.h"
#include "engine/nn/processors.h"
#include "engine/packed/packed_head.h"

namespace sumac::cli {
namespace {

namespace fs = std::filesystem;
using job::DataFormat;

int threads() {
  return worker::automaticThreads(worker::usableProcessors(), /*workers=*/1);
}

bool hasPictures(const fs::path& folder) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (worker::isPictureName(entry->path().filename().native())) return true;
  }
  return false;
}

/// What is not hidden in a folder, in the order of its names.
Result<std::vector<FolderEntry>> entriesOf(const fs::path& folder) {
  std::vector<FolderEntry> entries;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code unknown;
    const bool is_folder = entry->is_directory(unknown);
    entries.push_back({name, is_folder, is_folder && hasPictures(entry->path())});
  }
  if (failure)
    return Error{errorCodeOf(failure), "cannot list " + folder.string() + ": " + failure.message()};
  std::ranges::sort(entries, {}, &FolderEntry::name);
  return entries;
}

Error unusable(const std::string& message) {
  return Error{ErrorCode::kInvalid, message};
}

/// Whether a file is one that `sumac data pack` made.
bool isPacked(const fs::path& path) {
  const auto beginning = readBeginning(path, worker::kPackedMagic.size());
  return beginning && asText(*beginning) == worker::kPackedMagic;
}

/// That `path` can be looked at: a folder, or a packed file.
Result<void> requireData(const std::string& path) {
  if (auto problem = folderNameProblem(path); !problem.empty())
    return unusable("--data " + path + ": " + problem);
  if (firstBadByte(path)) return unusable("--data: the name of the folder is not UTF-8");
  const auto is_folder = isFolder(path);
  if (!is_folder) return is_folder.error();
  if (*is_folder || isPacked(path)) return {};
  const auto is_there = isThere(path);
  if (is_there && *is_there)
    return unusable(path +
                    " is a file, and not one of `sumac data pack`; put it into a folder, and name "
                    "the folder");
  return unusable("there is no folder " + path);
}

/// The last part of a path, "photos" of "../photos/".
std::string nameOf(const std::string& path) {
  std::error_code failure;
  const fs::path whole = fs::absolute(path, failure).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).stem().string();
}

Result<DataFormat> formatIn(const std::string& path) {
  if (isPacked(path)) return DataFormat::kPacked;
  const auto entries = entriesOf(path);
  if (!entries) return entries.error();
  const auto formats = formatsAmong(*entries);
  if (formats.empty()) return unusable(noFormatAmong(path, *entries));
  if (formats.size() == 1) return formats.front();
  return unusable(path + " has data of several formats, such as " +
                  std::string(toString(formats[0])) + " and " + std::string(toString(formats[1])) +
                  "; move those to train on into a folder of their own");
}

Result<Findings> picturesIn(Findings found) {
  auto listing = worker::listClasses(found.path);
  if (!listing) return listing.error();
  const auto range = worker::rangeOfPictures(*listing, threads());
  if (!range) return range.error();
  found.pictures = *range;
  found.train = std::ssize(listing->train);
  found.test = std::ssize(listing->test);
  found.classes = static_cast<int>(listing->classes.size());
  found.class_names = std::move(listing->classes);
  found.warning = std::move(listing->warning);
  return found;
}

Result<std::string> labelOf(const std::string& path) {
  constexpr std::size_t kHeader = std::size_t{1} << 20U;
  const fs::path file = fs::path(path) / "train.csv";
  const auto bytes = readBeginning(file, kHeader);
  if (!bytes) return bytes.error();
  worker::CsvReader reader(asText(*bytes), file.string());
  const auto names = worker::readCsvNames(reader);
  if (!names) return names.error();
  return likelyLabel(*names);
}

/// A column of numbers that hardly repeat has no classes.
Result<void> requireClasses(const Findings& found) {
  constexpr int kFew = 20;
  if (found.classes <= kFew || 2 * found.classes <= found.train) return {};
  return unusable("the column " + found.label + " of " + found.path + "/train.csv has " +
                  std::to_string(found.classes) + " different values in " +
                  counted(found.train, "line") +
                  ": unlikely to be the classes; name the column that has them: --label COLUMN");
}

Findings findingsOf(worker::Dataset dataset, Findings found) {
  const worker::Text& text = dataset.text;
  found.words = std::ssize(text.train);
  found.vocabulary = std::ssize(text.vocabulary);
  found.warning = std::move(dataset.warning);
  if (found.areWords()) {
    found.train = found.words;
    found.test = std::ssize(text.test);
    return found;
  }
  worker::Images& images = dataset.images;
  found.shape = images.train.shape;
  found.train = images.train.count() + images.validation.count();
  found.test = images.test.count();
  found.classes = images.classes;
  found.class_names = std::move(images.class_names);
  return found;
}

Result<Findings> loaded(job::DataSpec data, Findings found) {
  const bool may_lack_test =
      found.format == DataFormat::kCsv || found.format == DataFormat::kPacked;
  data.validation = may_lack_test ? 0.2 : 0;
  auto dataset = worker::loadDataset(data, {.threads = threads()});
  if (!dataset) return dataset.error();
  return findingsOf(*std::move(dataset), std::move(found));
}

}  // namespace

Result<Findings> findData(const std::string& path, const std::string& label) {
  if (auto usable = requireData(path); !usable) return usable.error();
  const auto format = formatIn(path);
  if (!format) return format.error();
  Findings found;
  found.format = *format;
  found.path = path;
  found.folder = nameOf(path);
  if (*format != DataFormat::kCsv && !label.empty())
    return unusable("--label is for tables, and " + path + " has " +
                    std::string(toString(*format)));
  if (*format == DataFormat::kFolder) return picturesIn(std::move(found));
  job::DataSpec data;
  data.format = *format;
  data.path = path;
  if (*format != DataFormat::kCsv) return loaded(data, std::move(found));
  auto column = label.empty() ? labelOf(path) : Result<std::string>(label);
  if (!column) return column.error();
  data.label = found.label = *std::move(column);
  auto table = loaded(data, std::move(found));
  if (!table) return table;
  if (auto has_classes = requireClasses(*table); !has_classes) return has_classes.error();
  return table;
}

Result<Findings> findBundled(const std::string& name) {
  Findings found;
  found.folder = found.data_set = name;
  job::DataSpec data;
  data.name = name;
  return loaded(data, std::move(found));
}

}  // namespace sumac::cli
