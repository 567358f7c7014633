#include "base/core/file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/core/descriptor.h"

namespace sumac {
namespace {

constexpr unsigned kShared = 0644;  // who may read a file
// What is written or read at once where that is counted: the slowest disk takes seconds for it.
constexpr std::size_t kPiece = 64UL * 1024 * 1024;

Error systemError(const std::string& attempt, const std::filesystem::path& path, int number) {
  const ErrorCode code = errorCodeOf(std::error_code(number, std::generic_category()));
  return Error{code, attempt + " " + path.string() + ": " + std::strerror(number)};
}

/// What is at `path`.
Result<std::filesystem::file_type> typeOf(const std::filesystem::path& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (status.type() != std::filesystem::file_type::none) return status.type();
  return systemError("cannot examine", path, failure.value());
}

/// Where it is counted, each piece goes to the disk by itself: else all would be counted before.
Result<void> writeAll(int fd, const std::filesystem::path& path, BytesView content,
                      WorkCount* work) {
  while (!content.empty()) {
    const std::size_t size = work == nullptr ? content.size() : std::min(content.size(), kPiece);
    const ssize_t written = ::write(fd, content.data(), size);
    if (written < 0) {
      if (errno == EINTR) continue;
      return systemError("cannot write", path, errno);
    }
    content = content.subspan(static_cast<std::size_t>(written));
    if (work == nullptr || content.empty()) continue;
    if (::fdatasync(fd) != 0) return systemError("cannot flush", path, errno);
    work->add();
  }
  if (::fsync(fd) != 0) return systemError("cannot flush", path, errno);
  if (work != nullptr) work->add();
  return {};
}

struct RegularFile {
  Descriptor descriptor;
  std::uint64_t size = 0;
};

Result<RegularFile> openRegular(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe would wait for somebody to write.
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return systemError("cannot open", path, errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return systemError("cannot examine", path, errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::kInvalid, "cannot read " + path.string() + ": not a regular file"};
  }
  return RegularFile{std::move(fd), static_cast<std::uint64_t>(status.st_size)};
}

/// Room for the whole of a file.
Result<Bytes> roomFor(const std::filesystem::path& path, std::uint64_t size) {
  try {
    return Bytes(size);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kUnavailable, "not enough memory to read " + path.string() +
                                              ": it has " + std::to_string(size) +
                                              " bytes; give this process more memory"};
  }
}

/// The folder that holds `file`.
std::filesystem::path folderOf(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

Result<void> writeDurably(const std::filesystem::path& path, int flags, BytesView content,
                          unsigned mode, WorkCount* work = nullptr) {
  const Descriptor fd(::open(path.c_str(), flags | O_WRONLY | O_CREAT | O_CLOEXEC, mode));
  if (!fd) return systemError("cannot create", path, errno);
  return writeAll(fd.get(), path, content, work);
}

}  // namespace

std::filesystem::path userCache(std::string_view name) {
  constexpr std::array kPlaces{std::array{"XDG_CACHE_HOME", "sumac"},
                               std::array{"HOME", ".cache/sumac"}};
  for (const auto& [variable, below] : kPlaces) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value == '/') return std::filesystem::path(value) / below / name;
  }
  return {};
}

ErrorCode errorCodeOf(const std::error_code& failure) {
  switch (failure.value()) {
    case ENOENT:
    case ENOTDIR: return ErrorCode::kNotFound;
    case EEXIST: return ErrorCode::kConflict;
    case EACCES:
    case EPERM:
    case EROFS:
    case EISDIR:
    case ENAMETOOLONG: return ErrorCode::kDenied;
    default: return ErrorCode::kUnavailable;
  }
}

ErrorCode listenErrorCodeOf(const std::error_code& failure) {
  switch (failure.value()) {
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM: return ErrorCode::kUnavailable;
    default: return ErrorCode::kDenied;
  }
}

std::string folderNameProblem(std::string_view name) {
  if (name.empty()) return "must not be empty";
  if (name.starts_with('~'))
    return "must be a folder: write ~ out, such as /home/me/results (./~ is a folder of that name)";
  if (name.find("://") != name.npos)
    return "must be a folder, not a URL: mount the storage, or copy the files afterwards";
  return {};
}

Result<bool> isFolder(const std::filesystem::path& path) {
  const auto type = typeOf(path);
  return type ? Result<bool>(*type == std::filesystem::file_type::directory) : type.error();
}

Result<bool> isThere(const std::filesystem::path& path) {
  const auto type = typeOf(path);
  return type ? Result<bool>(*type != std::filesystem::file_type::not_found) : type.error();
}

Result<Bytes> readFile(const std::filesystem::path& path, std::uint64_t limit, WorkCount* work) {
  const auto file = openRegular(path);
  if (!file) return file.error();
  const auto& [fd, size] = *file;
  const auto tooLong = [&](std::uint64_t found) {
    return Error{ErrorCode::kInvalid, "cannot read " + path.string() + ": it has " +
                                          std::to_string(found) + " bytes, at most " +
                                          std::to_string(limit) + " are allowed"};
  };
  if (size > limit) return tooLong(size);
  // Files of the kernel, as in /proc and in control groups, have no size: they are read to their
  // end.
  constexpr std::uint64_t kChunk = 4096;
  auto room = roomFor(path, size);
  if (!room) return room.error();
  Bytes content = *std::move(room);
  std::size_t done = 0;
  while (true) {
    if (done == content.size()) {
      if (size > 0) break;
      if (done > limit) return tooLong(done);
      content.resize(std::min(done + kChunk, limit) + 1);
    }
    const std::size_t left = content.size() - done;
    const ssize_t got =
        ::read(fd.get(), content.data() + done, work == nullptr ? left : std::min(left, kPiece));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return systemError("cannot read", path, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
    if (work != nullptr) work->add();
  }
  content.resize(done);
  return content;
}

Result<Bytes> readBeginning(const std::filesystem::path& path, std::size_t most) {
  const auto file = openRegular(path);
  if (!file) return file.error();
  Bytes content(static_cast<std::size_t>(std::min<std::uint64_t>(file->size, most)));
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t got =
        ::read(file->descriptor.get(), content.data() + done, content.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return systemError("cannot read", path, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  content.resize(done);
  return content;
}

Result<std::string> readTextFile(const std::filesystem::path& path, std::uint64_t limit) {
  const auto bytes = readFile(path, limit);
  if (!bytes) return bytes.error();
  return std::string(asText(*bytes));
}

Result<void> requireWritable(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    return Error{errorCodeOf(failed),
                 "cannot create folder " + folder.string() + ": " + failed.message()};
  }
  // Without a name, nothing stays where the process is killed in between.
  const Descriptor nameless(::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kShared));
  if (nameless) return {};
  // Not every file system has such files.
  const auto probe = folder / kWritableProbe;
  const Descriptor fd(::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kShared));
  if (!fd || ::unlink(probe.c_str()) != 0) return systemError("cannot write in", folder, errno);
  return {};
}

Result<void> flushFolder(const std::filesystem::path& folder) {
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return systemError("cannot open folder", folder, errno);
  // Some network file systems refuse fsync on a folder; the file itself is durable by then.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) {
    return systemError("cannot flush folder", folder, errno);
  }
  return {};
}

Result<void> createFile(const std::filesystem::path& path, BytesView content, unsigned mode,
                        WorkCount* work) {
  if (auto written = writeDurably(path, O_EXCL, content, mode, work); !written) return written;
  return flushFolder(folderOf(path));
}

Result<void> replaceFile(const std::filesystem::path& path, BytesView content, WorkCount* work) {
  auto temporary = path;
  temporary += ".tmp";
  auto written = writeDurably(temporary, O_TRUNC, content, kShared, work);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0)
    written = systemError("cannot rename to", path, errno);
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  return flushFolder(folderOf(path));
}

}  // namespace sumac
