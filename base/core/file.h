#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/core/bytes.h"
#include "base/core/result.h"
#include "base/core/work_count.h"

namespace sumac {

/// What a failure of the system says: kNotFound, kConflict where something is there already,
/// kDenied where rights or the kind of the file forbid it, else kUnavailable: storage that fails.
ErrorCode errorCodeOf(const std::error_code& failure);

/// The same of a socket that cannot listen at an address: kUnavailable where files or memory are
/// short, else kDenied: the address is taken, or not of this machine.
ErrorCode listenErrorCodeOf(const std::error_code& failure);

/// Why a user cannot mean this name of a folder: it is empty, begins with a "~" that no shell has
/// replaced, or is a URL. The system would create a folder of that very name. Returns an empty text
/// for a usable name.
std::string folderNameProblem(std::string_view name);

/// Where this user keeps what can be made again: $XDG_CACHE_HOME/sumac/`name`, or
/// ~/.cache/sumac/`name`; empty where neither is known. Nothing is made.
std::filesystem::path userCache(std::string_view name);

/// Whether `path` is a folder. Fails with kUnavailable or kDenied when that cannot be known.
Result<bool> isFolder(const std::filesystem::path& path);

/// Whether anything is at `path`. Fails as isFolder().
Result<bool> isThere(const std::filesystem::path& path);

/// The whole of a regular file. Fails with kNotFound, with kInvalid when it holds more than `limit`
/// bytes (nothing is allocated for a size that was not checked first), and as errorCodeOf() says.
/// `work`, where it is given, counts the pieces that were read.
Result<Bytes> readFile(const std::filesystem::path& path, std::uint64_t limit,
                       WorkCount* work = nullptr);

/// The first `most` bytes of a regular file, or all it has. Fails as readFile().
Result<Bytes> readBeginning(const std::filesystem::path& path, std::size_t most);

/// As readFile(), as text.
Result<std::string> readTextFile(const std::filesystem::path& path, std::uint64_t limit);

/// The file that requireWritable() makes for a moment where it has to; a process that is killed
/// then leaves it.
inline constexpr const char* kWritableProbe = ".writable";

/// Makes sure, by trying, that files can be made in a folder; makes the folder where it is missing.
/// Fails as errorCodeOf() says and leaves nothing behind but the folder.
Result<void> requireWritable(const std::filesystem::path& folder);

/// Makes what was created, renamed or removed in a folder durable.
Result<void> flushFolder(const std::filesystem::path& folder);

/// Writes a file that was not there before and makes it durable (fsync of file and folder).
/// Fails with kConflict when it exists, with kUnavailable when the disk is full; a file cut short
/// may stay behind. `mode` says who may read it; `work`, where it is given, counts the pieces that
/// are on the disk.
Result<void> createFile(const std::filesystem::path& path, BytesView content, unsigned mode = 0644,
                        WorkCount* work = nullptr);

/// Replaces `path` as a whole (temporary file in the same folder, fsync, rename). `work`
/// as in createFile().
Result<void> replaceFile(const std::filesystem::path& path, BytesView content,
                         WorkCount* work = nullptr);

}  // namespace sumac
