#include "cli/init/layouts.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace sumac::cli {
namespace {

using job::DataFormat;

/// How a format is recognized: by an entry whose name begins and ends so.
struct Mark {
  DataFormat format;
  bool is_folder;
  std::string_view begin;
  std::string_view end;

  bool fits(const FolderEntry& entry) const {
    const bool is_long = entry.name.size() >= begin.size() + end.size();
    return entry.is_folder == is_folder && is_long && entry.name.starts_with(begin) &&
           entry.name.ends_with(end) && (!end.empty() || entry.name.size() == begin.size());
  }
};

constexpr std::array<Mark, 11> kMarks{{{DataFormat::kFolder, true, "train", ""},
                                       {DataFormat::kCsv, false, "train.csv", ""},
                                       {DataFormat::kText, false, "train.txt", ""},
                                       {DataFormat::kText, false, "", ".train.txt"},
                                       {DataFormat::kNpy, false, "x_train.npy", ""},
                                       {DataFormat::kNpy, false, "", ".npz"},
                                       {DataFormat::kIdx, false, "train-images-idx3-ubyte", ""},
                                       {DataFormat::kIdx, false, "train-images-idx3-ubyte.gz", ""},
                                       {DataFormat::kCifar10, false, "data_batch_", ".bin"},
                                       {DataFormat::kPacked, false, "", ".sumac"},
                                       {DataFormat::kCifar100, false, "train.bin", ""}}};

constexpr std::string_view kLookedFor =
    "\nlooked for:\n"
    "  pictures   train/CLASS/*.png or *.jpg, and test/CLASS likewise\n"
    "  a table    train.csv, and test.csv\n"
    "  a text     train.txt, and valid.txt and test.txt\n"
    "  arrays     x_train.npy, y_train.npy, x_test.npy and y_test.npy, or a .npz with these\n"
    "  idx        train-images-idx3-ubyte, plain or .gz, and the three files that belong to it\n"
    "  CIFAR      data_batch_1.bin and test_batch.bin, or train.bin and test.bin\n"
    "  packed     one file of `sumac data pack`, NAME.sumac\n"
    "docs/data.md describes each";

std::string listed(std::span<const FolderEntry> entries) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (const FolderEntry& entry : entries.first(std::min(entries.size(), kMost)))
    text += (text.empty() ? "" : ", ") + entry.name + (entry.is_folder ? "/" : "");
  if (entries.size() > kMost) text += " and " + std::to_string(entries.size() - kMost) + " more";
  return entries.empty() ? "nothing" : text;
}

/// The only file of an ending, if there is one.
std::optional<std::string> onlyFile(std::span<const FolderEntry> entries, std::string_view ending) {
  const auto fits = [ending](const FolderEntry& entry) {
    return !entry.is_folder && entry.name.ends_with(ending);
  };
  if (std::ranges::count_if(entries, fits) != 1) return std::nullopt;
  return std::ranges::find_if(entries, fits)->name;
}

/// What users have in place of what is looked for.
std::string remedyFor(const std::string& folder, std::span<const FolderEntry> entries) {
  if (std::ranges::any_of(entries, &FolderEntry::has_pictures)) {
    return "\nthe folders with pictures belong into a folder `train`: make " + folder +
           "/train and move them there";
  }
  for (const std::string ending : {".csv", ".txt"}) {
    if (const auto name = onlyFile(entries, ending))
      return "\nto train on " + *name + ", call it train" + ending;
  }
  return {};
}

}  // namespace

std::vector<DataFormat> formatsAmong(std::span<const FolderEntry> entries) {
  std::vector<DataFormat> formats;
  for (const Mark& mark : kMarks) {
    const bool is_known = std::ranges::find(formats, mark.format) != formats.end();
    const bool is_there = std::ranges::any_of(
        entries, [&mark](const FolderEntry& entry) { return mark.fits(entry); });
    if (is_there && !is_known) formats.push_back(mark.format);
  }
  return formats;
}

std::string noFormatAmong(const std::string& folder, std::span<const FolderEntry> entries) {
  return "there are no data to train on in " + folder + ", which has " + listed(entries) +
         remedyFor(folder, entries) + std::string(kLookedFor);
}

std::string likelyLabel(std::span<const std::string> columns) {
  constexpr std::array<std::string_view, 6> kUsual{"label",   "class",    "target",
                                                   "species", "category", "y"};
  for (const std::string_view usual : kUsual) {
    const auto found = std::ranges::find_if(columns, [usual](const std::string& column) {
      return std::ranges::equal(column, usual, [](char letter, char small) {
        return letter == small || (letter >= 'A' && letter <= 'Z' && letter - 'A' + 'a' == small);
      });
    });
    if (found != columns.end()) return *found;
  }
  return columns.back();
}

}  // namespace sumac::cli
