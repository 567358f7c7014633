#include "engine/packed/packed_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/core/check.h"
#include "base/core/crc32c.h"
#include "base/core/file.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReplaceIt =
    "; remove it, and pack it again (`sumac data pack`) or copy "
    "it again "
    "from where it is whole";

Error packFailure(const char* attempt, const fs::path& path, int number) {
  const ErrorCode code = errorCodeOf(std::error_code(number, std::generic_category()));
  return Error{
      code, std::string("cannot ") + attempt + " " + path.string() + ": " + std::strerror(number)};
}

Error aboutFile(const fs::path& path, const Error& error) {
  return Error{error.code, "cannot use " + path.string() + ": " + error.message};
}

/// Fills `bytes` from `begin` on.
Result<void> readFrom(const Descriptor& file, const fs::path& path, std::uint64_t begin,
                      std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return packFailure("read", path, errno);
    if (got == 0) {
      return Error{ErrorCode::kInvalid, "cannot use " + path.string() + ": it ends at byte " +
                                            std::to_string(begin) +
                                            ", it was cut while it was read" + kReplaceIt};
    }
    begin += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

/// Room for the head, and the head in it.
Result<Bytes> readHeadBytes(const Descriptor& file, const fs::path& path, std::uint64_t size) {
  try {
    Bytes bytes(size);
    if (auto read = readFrom(file, path, kPackedOpening, bytes); !read) return read.error();
    return bytes;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kUnavailable, "not enough memory for the labels of " + path.string()};
  }
}

}  // namespace

PackedFile::PackedFile(fs::path path, Descriptor file, const PackedOpening& opening,
                       std::vector<std::uint32_t> checksums)
    : path_(std::move(path)),
      file_(std::move(file)),
      opening_(opening),
      checksums_(std::move(checksums)),
      is_checked_(opening.chunks()),
      chunk_(std::min<std::uint64_t>(kPackedChunk, opening.dataBytes())) {}

Result<PackedFile::Opened> PackedFile::open(const fs::path& path) {
  // Without O_NONBLOCK, opening a pipe would wait for somebody to write.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file) return packFailure("open", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return packFailure("examine", path, errno);
  if (!S_ISREG(status.st_mode))
    return aboutFile(path, {ErrorCode::kInvalid, "it is not a regular file"});
  const auto size = static_cast<std::uint64_t>(status.st_size);
  Bytes first(std::min<std::uint64_t>(size, kPackedOpening));
  if (auto read = readFrom(file, path, 0, first); !read) return read.error();
  const auto opening = readOpening(first, size);
  if (!opening) return aboutFile(path, opening.error());
  const auto bytes = readHeadBytes(file, path, opening->headBytes());
  if (!bytes) return bytes.error();
  auto head = readHead(*opening, *bytes);
  if (!head) return aboutFile(path, head.error());
  // Chunks are read as a whole, then samples here and there: reading ahead is of no use.
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_RANDOM);
  return Opened{.file = std::shared_ptr<const PackedFile>(
                    new PackedFile(path, std::move(file), *opening, std::move(head->checksums))),
                .description = std::move(head->description),
                .labels = std::move(head->labels)};
}

Result<void> PackedFile::read(std::uint64_t index, std::span<std::byte> sample) const {
  SUMAC_CHECK(index < opening_.samples() && sample.size() == opening_.sample_bytes, index,
              sample.size());
  const std::uint64_t begin = index * opening_.sample_bytes;
  const std::uint64_t last = begin + sample.size() - 1;
  for (std::uint64_t chunk = begin / kPackedChunk; chunk <= last / kPackedChunk; ++chunk) {
    if (is_checked_[chunk].load(std::memory_order_acquire)) continue;
    if (auto checked = check(chunk); !checked) return checked;
  }
  return readAt(begin, sample);
}

Result<void> PackedFile::check(std::uint64_t chunk) const {
  const MutexLock lock(mutex_);
  if (is_checked_[chunk].load(std::memory_order_relaxed)) return {};
  const std::uint64_t begin = chunk * kPackedChunk;
  const auto bytes =
      std::span(chunk_).first(std::min<std::uint64_t>(kPackedChunk, opening_.dataBytes() - begin));
  if (auto read = readAt(begin, bytes); !read) return read;
  if (crc32c(bytes) != checksums_[chunk]) {
    const std::uint64_t at = opening_.dataBegin() + begin;
    return Error{ErrorCode::kInvalid,
                 "cannot use " + path_.string() + ": it is damaged between the bytes " +
                     std::to_string(at) + " and " + std::to_string(at + bytes.size()) + kReplaceIt};
  }
  is_checked_[chunk].store(true, std::memory_order_release);
  return {};
}

Result<void> PackedFile::readAt(std::uint64_t begin, std::span<std::byte> bytes) const {
  return readFrom(file_, path_, opening_.dataBegin() + begin, bytes);
}

}  // namespace sumac::worker
