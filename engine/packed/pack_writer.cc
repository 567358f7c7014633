#include "engine/packed/pack_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/core/check.h"
#include "base/core/checked.h"
#include "base/core/crc32c.h"
#include "base/core/file.h"
#include "base/core/units.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

Error writingFailure(const char* attempt, const fs::path& path, int number) {
  const ErrorCode code = errorCodeOf(std::error_code(number, std::generic_category()));
  return Error{
      code, std::string("cannot ") + attempt + " " + path.string() + ": " + std::strerror(number)};
}

/// Whether a packed file can have these sizes.
bool isWithinLimits(const PackWriter::Sizes& sizes) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60U;
  const std::uint64_t samples = sizes.train + sizes.test;
  const auto bytes = checkedMultiply(samples, sizes.sample_bytes);
  return sizes.train > 0 && samples <= kMaxPackedSamples && sizes.sample_bytes > 0 && bytes &&
         *bytes <= kMost && sizes.description_bytes <= kMaxDescription;
}

Result<void> writeAt(const Descriptor& file, const fs::path& path, std::uint64_t begin,
                     BytesView bytes) {
  while (!bytes.empty()) {
    const ssize_t done =
        ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(begin));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return writingFailure("write", path, errno);
    begin += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return {};
}

/// Whether the file that is open is still the one of that name.
bool isStillThere(const Descriptor& file, const fs::path& path) {
  struct stat ours {};
  struct stat named {};
  return ::fstat(file.get(), &ours) == 0 && ::stat(path.c_str(), &named) == 0 &&
         ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

/// An empty file that is ours alone.
Result<Descriptor> openLocked(const fs::path& path) {
  constexpr unsigned kReadable = 0644;
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kReadable));
  if (!file) return writingFailure("create", path, errno);
  // Who had it before us may have finished and renamed it, or removed it, since we opened it.
  const bool is_taken = ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (is_taken || !isStillThere(file, path)) {
    return Error{ErrorCode::kConflict,
                 "another process writes " + path.string() + " now; wait until it is done"};
  }
  if (::ftruncate(file.get(), 0) != 0) return writingFailure("write", path, errno);
  return file;
}

/// Rather now than after an hour of decoding. Not every file system can reserve.
Result<void> reserve(const Descriptor& file, const fs::path& path, std::uint64_t bytes) {
  if (::fallocate(file.get(), 0, 0, static_cast<off_t>(bytes)) == 0) return {};
  if (errno != ENOSPC && errno != EFBIG && errno != EDQUOT) return {};
  const int number = errno;
  return Error{ErrorCode::kUnavailable, "cannot write " + path.string() + ", which takes " +
                                            bytesText(bytes) + ": " + std::strerror(number)};
}

}  // namespace

Result<void> requireFree(const fs::path& path, Replace replace) {
  const auto is_there = isThere(path);
  if (!is_there) return is_there.error();
  if (!*is_there || replace == Replace::kIfThere) return {};
  return Error{ErrorCode::kConflict,
               path.string() + " is there already; remove it, or choose another name"};
}

PackWriter::PackWriter(fs::path path, fs::path unfinished, Descriptor file,
                       const PackedOpening& opening, Replace replace)
    : path_(std::move(path)),
      unfinished_(std::move(unfinished)),
      file_(std::move(file)),
      opening_(opening),
      replace_(replace),
      checksums_(opening.chunks()) {}

PackWriter::PackWriter(PackWriter&& other) noexcept
    : path_(std::move(other.path_)),
      unfinished_(std::exchange(other.unfinished_, {})),
      file_(std::move(other.file_)),
      opening_(other.opening_),
      replace_(other.replace_),
      written_(other.written_),
      checksums_(std::move(other.checksums_)) {}

PackWriter::~PackWriter() {
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

Result<PackWriter> PackWriter::create(const fs::path& path, const Sizes& sizes, Replace replace) {
  if (auto is_free = requireFree(path, replace); !is_free) return is_free.error();
  if (!isWithinLimits(sizes)) {
    return Error{ErrorCode::kInvalid, "cannot pack " + std::to_string(sizes.train + sizes.test) +
                                          " samples of " + bytesText(sizes.sample_bytes) +
                                          ": a packed file has at most " +
                                          std::to_string(kMaxPackedSamples)};
  }
  const PackedOpening opening{
      .description_bytes = static_cast<std::uint32_t>(sizes.description_bytes),
      .train = sizes.train,
      .test = sizes.test,
      .sample_bytes = sizes.sample_bytes};
  fs::path unfinished = path;
  unfinished += ".unfinished";
  auto file = openLocked(unfinished);
  if (!file) return file.error();
  PackWriter writer(path, std::move(unfinished), *std::move(file), opening, replace);
  if (auto has_room = reserve(writer.file_, path, opening.fileBytes()); !has_room)
    return has_room.error();
  return writer;
}

Result<void> PackWriter::add(BytesView samples) {
  SUMAC_CHECK(written_ + samples.size() <= opening_.dataBytes(), written_, samples.size());
  if (auto written = writeAt(file_, unfinished_, opening_.dataBegin() + written_, samples);
      !written)
    return written;
  addToChecksums(samples);
  return {};
}

void PackWriter::addToChecksums(BytesView bytes) {
  while (!bytes.empty()) {
    std::uint32_t& checksum = checksums_[written_ / kPackedChunk];
    const auto part =
        bytes.first(std::min<std::uint64_t>(bytes.size(), kPackedChunk - written_ % kPackedChunk));
    checksum = crc32c(part, checksum);
    written_ += part.size();
    bytes = bytes.subspan(part.size());
  }
}

Result<void> PackWriter::finish(std::string description, std::vector<std::uint16_t> labels) {
  SUMAC_CHECK(written_ == opening_.dataBytes(), written_, opening_.dataBytes());
  SUMAC_CHECK(labels.size() == opening_.samples(), labels.size(), opening_.samples());
  SUMAC_CHECK(description.size() <= opening_.description_bytes, description.size());
  description.resize(opening_.description_bytes, ' ');
  const Bytes head = headBytes({.description = std::move(description),
                                .labels = std::move(labels),
                                .checksums = std::move(checksums_)});
  Bytes beginning = openingBytes(opening_, head);
  beginning.insert(beginning.end(), head.begin(), head.end());
  beginning.resize(opening_.dataBegin());
  if (auto written = writeAt(file_, unfinished_, 0, beginning); !written) return written;
  if (::fsync(file_.get()) != 0) return writingFailure("flush", unfinished_, errno);
  if (auto is_free = requireFree(path_, replace_); !is_free) return is_free;
  if (::rename(unfinished_.c_str(), path_.c_str()) != 0)
    return writingFailure("rename to", path_, errno);
  unfinished_.clear();
  return flushFolder(path_.has_parent_path() ? path_.parent_path() : fs::path("."));
}

}  // namespace sumac::worker
