#include "engine/data/class_listing.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "base/core/file.h"
#include "base/core/text.h"
#include "engine/data/csv.h"
#include "engine/data/samples.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLayout =
    "; a folder of pictures has train/CLASS/*.png or *.jpg, and test/CLASS/*.png or *.jpg to "
    "measure with";

Error unusableClasses(const fs::path& path, const std::string& what) {
  return Error{ErrorCode::kInvalid, "cannot use " + path.string() + ": " + what};
}

/// What is passed over.
struct Others {
  std::int64_t count = 0;
  fs::path first;  // by its bytes

  void add(const fs::path& path) {
    if (count == 0 || path.native() < first.native()) first = path;
    ++count;
  }
};

struct Entries {
  std::vector<std::string> folders;
  std::vector<std::string> files;
};

/// What is not hidden in a folder, sorted by its bytes.
Result<Entries> entriesOf(const fs::path& folder) {
  Entries entries;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code unknown;  // a link that leads nowhere: who opens it says so
    const bool is_folder = entry->is_directory(unknown);
    (is_folder ? entries.folders : entries.files).push_back(std::move(name));
  }
  if (failure) {
    return Error{errorCodeOf(failure), "cannot list " + folder.string() + ": " + failure.message()};
  }
  std::ranges::sort(entries.folders);
  std::ranges::sort(entries.files);
  return entries;
}

/// The names of the classes in a folder, sorted.
Result<std::vector<std::string>> classesIn(const fs::path& folder, Others& others) {
  auto entries = entriesOf(folder);
  if (!entries) return entries.error();
  for (const std::string& file : entries->files)
    others.add(folder / file);
  for (const std::string& name : entries->folders) {
    const bool is_control = std::ranges::any_of(
        name, [](char letter) { return (letter >= 0 && letter < ' ') || letter == '\x7F'; });
    if (is_control || firstBadByte(name)) {
      return unusableClasses(folder,
                             "the name of a class must be UTF-8 without control "
                             "characters: rename the folder " +
                                 shownCell(name));
    }
  }
  return std::move(entries->folders);
}

/// Adds the pictures of a class; returns whether there are any.
Result<bool> addPictures(const fs::path& folder, std::uint16_t label,
                         std::vector<ListedPicture>& pictures, Others& others) {
  const auto entries = entriesOf(folder);
  if (!entries) return entries.error();
  for (const std::string& inner : entries->folders)
    others.add(folder / inner);
  const std::size_t before = pictures.size();
  for (const std::string& name : entries->files) {
    if (isPictureName(name)) {
      pictures.push_back({folder / name, label});
    } else {
      others.add(folder / name);
    }
  }
  return pictures.size() > before;
}

Result<void> listTraining(const fs::path& folder, ClassListing& listing, Others& others) {
  const auto is_there = isFolder(folder);
  if (!is_there) return is_there.error();
  if (!*is_there) {
    return Error{ErrorCode::kNotFound,
                 "there is no folder " + folder.string() + std::string(kLayout)};
  }
  auto classes = classesIn(folder, others);
  if (!classes) return classes.error();
  listing.classes = *std::move(classes);
  const std::size_t count = listing.classes.size();
  if (count == 0)
    return unusableClasses(folder, "it has no folders of classes" + std::string(kLayout));
  if (count == 1) {
    return unusableClasses(folder, "it has one class alone, " + listing.classes[0] +
                                       "; two or more can be told apart");
  }
  if (count > kMaxClasses) {
    return unusableClasses(folder, "it has " + std::to_string(count) + " classes, at most " +
                                       std::to_string(kMaxClasses) +
                                       " are allowed: put several into one folder");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const fs::path own = folder / listing.classes[i];
    const auto has_any = addPictures(own, static_cast<std::uint16_t>(i), listing.train, others);
    if (!has_any) return has_any.error();
    if (!*has_any) {
      return unusableClasses(
          own, "this class has no .png, .jpg or .jpeg: add some, or remove the folder");
    }
  }
  return {};
}

Result<void> listTest(const fs::path& folder, ClassListing& listing, Others& others) {
  const auto is_there = isFolder(folder);
  if (!is_there) return is_there.error();
  if (!*is_there) return {};
  const auto classes = classesIn(folder, others);
  if (!classes) return classes.error();
  for (const std::string& name : *classes) {
    const auto found = std::ranges::lower_bound(listing.classes, name);
    if (found == listing.classes.end() || *found != name) {
      return unusableClasses(folder / name,
                             "this class is not among those to train on: give it "
                             "pictures in train/, or remove the folder");
    }
    const auto label = static_cast<std::uint16_t>(found - listing.classes.begin());
    const auto has_any = addPictures(folder / name, label, listing.test, others);
    if (!has_any) return has_any.error();
  }
  if (!listing.test.empty()) return {};
  return unusableClasses(
      folder, "it has no .png, .jpg or .jpeg in folders of classes: add some, or remove it");
}

}  // namespace

bool isPictureName(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  std::string ending(name.substr(dot));
  std::ranges::transform(ending, ending.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

Result<ClassListing> listClasses(const fs::path& folder) {
  ClassListing listing;
  Others others;
  if (auto listed = listTraining(folder / "train", listing, others); !listed) return listed.error();
  if (auto listed = listTest(folder / "test", listing, others); !listed) return listed.error();
  if (others.count > 0) {
    listing.warning = "not used, since they are no .png, .jpg or .jpeg of a class: " +
                      std::to_string(others.count) + " in " + folder.string() + ", the first is " +
                      others.first.string();
  }
  return listing;
}

}  // namespace sumac::worker
