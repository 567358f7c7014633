#include "cli/cluster/code_folder.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <system_error>
#include <utility>

#include "base/core/file.h"
#include "base/core/text.h"
#include "base/core/units.h"

namespace sumac::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostNoText = 64UL * 1024;
constexpr int kMostEntries = 20'000;
constexpr int kMostDepth = 32;

Error invalid(std::string message) {
  return {ErrorCode::kInvalid, std::move(message)};
}

/// A source that was found, before it is read.
struct Found {
  std::string path;  // within the folder
  std::uint64_t bytes = 0;
};

/// Walks a folder once, and then reads what it has found.
class Walk {
 public:
  Walk(const fs::path& folder, const std::string& image) : folder_(folder), image_(image) {}

  Result<CodeFolder> read();

 private:
  Result<void> visit(const fs::path& at, const std::string& prefix, int depth);
  Result<void> visitEntry(const fs::directory_entry& entry, const std::string& path, int depth);
  Result<void> visitLink(const fs::path& link, const std::string& path);
  Result<void> visitFile(const fs::directory_entry& entry, const std::string& path);
  Result<void> readFiles();
  Error tooLarge() const;
  void skip(const std::string& path, const std::string& why) {
    skipped_.push_back(printable(path) + " (" + why + ")");
  }

  const fs::path& folder_;    // outlives us
  const std::string& image_;  // outlives us
  fs::path root_;             // the folder without links
  int entries_ = 0;
  int hidden_ = 0;
  std::vector<Found> found_;
  job::CodeFiles files_;
  std::vector<std::string> skipped_;
};

bool isHidden(const std::string& name) {
  return name.starts_with('.') || name == "__pycache__" || name.ends_with(".pyc");
}

Error failed(const fs::path& path, const std::error_code& failure) {
  return {errorCodeOf(failure), path.string() + ": " + failure.message()};
}

Result<CodeFolder> Walk::read() {
  std::error_code failure;
  root_ = fs::canonical(folder_, failure);
  if (failure) return failed(folder_, failure);
  if (!fs::is_directory(root_, failure)) return invalid(folder_.string() + " is no folder");
  if (auto walked = visit(root_, {}, 0); !walked) return walked.error();
  std::ranges::sort(found_, {}, &Found::path);
  if (auto read = readFiles(); !read) return read.error();
  if (files_.empty()) {
    return invalid(folder_.string() + " has no sources" +
                   (skipped_.empty() ? "" : "; left out is " + skipped_.front()));
  }
  if (hidden_ > 0) skip(counted(hidden_, "item"), "hidden, or a cache or an environment of Python");
  return CodeFolder{std::move(files_), std::move(skipped_)};
}

Result<void> Walk::visit(const fs::path& at, const std::string& prefix, int depth) {
  std::error_code failure;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator each(at, failure); !failure && each != fs::directory_iterator();
       each.increment(failure)) {
    if (++entries_ > kMostEntries)
      return invalid(folder_.string() + " has more than " + std::to_string(kMostEntries) +
                     " entries: name the folder that has only the program's sources");
    entries.push_back(*each);
  }
  if (failure) return failed(at, failure);
  std::ranges::sort(entries);
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (isHidden(name)) {
      ++hidden_;
    } else if (auto visited = visitEntry(entry, prefix + name, depth); !visited) {
      return visited;
    }
  }
  return {};
}

Result<void> Walk::visitEntry(const fs::directory_entry& entry, const std::string& path,
                              int depth) {
  std::error_code failure;
  const fs::file_status status = entry.symlink_status(failure);
  if (failure) return failed(entry.path(), failure);
  if (fs::is_symlink(status)) return visitLink(entry.path(), path);
  if (!job::isCodePath(path)) {
    skip(path,
         "its path has other characters than letters, digits, '_', '-' and '.', or more than "
         "253");
    return {};
  }
  if (fs::is_directory(status)) {
    if (fs::exists(entry.path() / "pyvenv.cfg", failure)) {
      ++hidden_;
      return {};
    }
    if (depth == kMostDepth) return invalid(path + ": folders are nested too deep");
    return visit(entry.path(), path + "/", depth + 1);
  }
  if (fs::is_regular_file(status)) return visitFile(entry, path);
  skip(path, "neither a file nor a folder");
  return {};
}

/// A link that leads out would be a way to send any file of this machine.
Result<void> Walk::visitLink(const fs::path& link, const std::string& path) {
  std::error_code failure;
  const fs::path target = fs::weakly_canonical(link, failure);
  const auto inside = target.lexically_relative(root_);
  if (!failure && !inside.empty() && *inside.begin() != "..") {
    skip(path, "a link");
    return {};
  }
  return invalid(printable(path) + " is a link that leads out of " + folder_.string() +
                 ": remove it, or copy what it names into the folder");
}

Result<void> Walk::visitFile(const fs::directory_entry& entry, const std::string& path) {
  std::error_code failure;
  const std::uint64_t bytes = entry.file_size(failure);
  if (failure) return failed(entry.path(), failure);
  if (bytes > kMostNoText) {
    const auto beginning = readBeginning(entry.path(), kMostNoText);
    if (!beginning) return beginning.error();
    const std::string_view text = asText(*beginning);
    // A character may be cut in two there.
    if (firstBadByte(text).value_or(text.size()) + 4 < text.size()) {
      skip(path, bytesText(bytes) + ", no text");
      return {};
    }
  }
  found_.push_back({path, bytes});
  return {};
}

Result<void> Walk::readFiles() {
  std::uint64_t total = 0;
  for (const Found& file : found_)
    total += file.bytes;
  if (total > job::kMostCodeBytes || found_.size() > job::kMostCodeFiles) return tooLarge();
  std::uint64_t left = job::kMostCodeBytes;
  for (const Found& file : found_) {
    auto content = readTextFile(root_ / file.path, left);
    if (!content) return content.error();
    left -= content->size();
    files_[file.path] = *std::move(content);
  }
  return {};
}

/// With the other way: the sources in the image.
Error Walk::tooLarge() const {
  std::uint64_t total = 0;
  for (const Found& file : found_)
    total += file.bytes;
  std::vector<Found> largest = found_;
  std::ranges::sort(largest, std::ranges::greater(), &Found::bytes);
  constexpr std::size_t kShown = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, largest.size()); ++i)
    list += (i == 0 ? "" : ", ") + largest[i].path + " " + bytesText(largest[i].bytes);
  return invalid(folder_.string() + " has " +
                 counted(static_cast<std::int64_t>(found_.size()), "file") + " of " +
                 bytesText(total) + ", at most " + std::to_string(job::kMostCodeFiles) +
                 " files of together 700 KiB fit beside a job; the largest are " + list +
                 ". Keep data elsewhere, or put all into the image and leave out --code:\n\n"
                 "    FROM " +
                 image_ +
                 "\n    WORKDIR /program\n    COPY . .\n\n"
                 "docker build -t NAME " +
                 folder_.string() + " makes it; push it, and write NAME into worker.template");
}

}  // namespace

Result<CodeFolder> readCodeFolder(const fs::path& folder, const std::string& image) {
  auto read = Walk(folder, image).read();
  if (!read) return read.error().within("--code");
  return read;
}

}  // namespace sumac::cli
