#include "cli/fetch/fetch.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>

#include "base/core/bytes.h"
#include "base/core/complain.h"
#include "base/core/descriptor.h"
#include "base/core/file.h"
#include "base/core/units.h"
#include "cli/fetch/archive.h"
#include "cli/fetch/download.h"

namespace sumac::cli {
namespace {

namespace fs = std::filesystem;

/// Says how much of a file is here: on a terminal in one line, elsewhere a line each quarter.
class Progress {
 public:
  Progress(const RemoteFile& file, bool is_live, std::ostream& err)
      : file_(file), is_live_(is_live), err_(err) {}

  void show(std::uint64_t bytes) {
    constexpr std::uint64_t kLiveParts = 200;
    constexpr std::uint64_t kParts = 4;
    const std::uint64_t part = bytes * (is_live_ ? kLiveParts : kParts) / file_.size;
    if (part == part_) return;
    part_ = part;
    const std::string line = std::string(file_.name) + "   " + bytesText(bytes) + " of " +
                             bytesText(file_.size) + "   " +
                             std::to_string(bytes * 100 / file_.size) + " %";
    if (is_live_) {
      err_ << '\r' << line << "   " << std::flush;
      is_open_ = true;
    } else {
      err_ << line << std::endl;
    }
  }

  /// Ends the live line.
  void finish() {
    if (is_open_) err_ << std::endl;
    is_open_ = false;
  }

 private:
  const RemoteFile& file_;
  const bool is_live_;
  std::ostream& err_;
  std::uint64_t part_ = 0;
  bool is_open_ = false;
};

Result<Download> fetchFile(const RemoteFile& file, const std::string& address,
                           const FetchOptions& options, std::ostream& err) {
  const DownloadRequest request{.address = address + "/" + std::string(file.name),
                                .file = options.folder / file.name,
                                .size = file.size,
                                .sha256 = std::string(file.sha256)};
  Progress progress(file, options.is_live, err);
  const auto pause = [&](Duration length) {
    progress.finish();
    err << file.name << "   the transfer broke off; trying again in "
        << std::chrono::duration_cast<std::chrono::seconds>(length).count() << " s" << std::endl;
    options.pause ? options.pause(length) : std::this_thread::sleep_for(length);
  };
  auto result = download(
      request, [&](std::uint64_t bytes) { progress.show(bytes); }, pause);
  progress.finish();
  if (result && *result == Download::kPresent) {
    err << file.name << "   is already there" << std::endl;
  }
  return result;
}

bool isUnpacked(const RemoteDataSet& set, const fs::path& folder) {
  return std::all_of(set.members.begin(), set.members.end(), [&](const ArchiveMember& member) {
    std::error_code failure;
    return fs::file_size(folder / fs::path(member.path).filename(), failure) == member.size;
  });
}

/// Files that came in an archive appear only when the archive was checked: their sizes tell enough.
Result<void> fetchFiles(const RemoteDataSet& set, const FetchOptions& options, std::ostream& err) {
  // Another process that fetches into this folder is waited for: init containers of several
  // workers.
  const Descriptor lock(::open(options.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock || ::flock(lock.get(), LOCK_EX) != 0) {
    return Error{ErrorCode::kUnavailable, "cannot lock folder " + options.folder.string()};
  }
  if (!set.members.empty() && isUnpacked(set, options.folder)) {
    err << set.name << "   is already there" << std::endl;
    return {};
  }
  std::string address = options.mirror.empty() ? std::string(set.address) : options.mirror;
  while (address.ends_with('/'))
    address.pop_back();
  for (const RemoteFile& file : set.files) {
    const auto result = fetchFile(file, address, options, err);
    if (!result) return result.error();
  }
  if (set.members.empty()) return {};
  const auto archive = options.folder / set.files.front().name;
  err << "unpacking " << archive.string() << std::endl;
  if (const auto done = unpackMembers(archive, set.members, options.folder); !done) {
    return done.error();
  }
  std::error_code ignored;
  fs::remove(archive, ignored);
  return {};
}

/// Writes the names of the classes, unless somebody has.
Result<void> writeNames(const RemoteDataSet& set, const fs::path& folder) {
  if (set.class_names.empty()) return {};
  const fs::path path = folder / set.names_file;
  const auto is_there = isThere(path);
  if (!is_there) return is_there.error();
  if (*is_there) return {};
  std::string text;
  for (const std::string_view name : set.class_names)
    text.append(name).append("\n");
  return replaceFile(path, asBytes(text));
}

/// As a value in YAML between braces: in quotes where a plain word would mean something else.
std::string yamlText(const std::string& text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-").find(c) != std::string_view::npos;
  };
  const bool is_path = text.find('/') != std::string::npos;  // so not a number, nor true or null
  if (is_path && text.front() != '-' && std::all_of(text.begin(), text.end(), is_plain)) {
    return text;
  }
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

bool hasPart(const RemoteDataSet& set, const fs::path& folder) {
  return std::any_of(set.files.begin(), set.files.end(), [&](const RemoteFile& file) {
    std::error_code failure;
    return fs::file_size(folder / (std::string(file.name) + ".part"), failure) > 0 && !failure;
  });
}

}  // namespace

std::string emptyValueError(const std::string& value) {
  return value.empty() ? "is empty; leave the option out for its default" : std::string();
}

ExitCode fetch(const RemoteDataSet& set, const FetchOptions& options, std::ostream& out,
               std::ostream& err) {
  FetchOptions asked = options;
  if (asked.folder.empty()) asked.folder = fs::path("data") / set.name;
  if (const auto writable = requireWritable(asked.folder); !writable)
    return complain(err, writable.error(), ExitCode::kFailed);
  auto fetched = fetchFiles(set, asked, err);
  if (fetched) fetched = writeNames(set, asked.folder);
  if (!fetched) {
    err << "error: " << fetched.error().message << '\n';
    if (hasPart(set, asked.folder)) {
      err << "What came so far is kept: the same command continues from there." << '\n';
    }
    err << std::flush;
    return ExitCode::kFailed;
  }
  out << set.name << " is in " << asked.folder.string()
      << ". In a job:\n  data: {format: " << set.format
      << ", path: " << yamlText(asked.folder.string()) << "}" << std::endl;
  return ExitCode::kDone;
}

}  // namespace sumac::cli
