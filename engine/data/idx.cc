#include "engine/data/idx.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>

#include <zlib.h>

#include "base/core/bytes.h"
#include "base/core/check.h"
#include "base/core/file.h"
#include "base/core/units.h"

namespace sumac::worker {
namespace {

// Header and gzip's framing are far below it.
constexpr std::uint64_t kMaxIdxFile = kMaxIdxValues + (1U << 20U);
constexpr std::uint32_t kMagicOfBytes = 0x0800;
constexpr std::uint32_t kMagicOfIntegers = 0x0C00;  // signed, of 32 bits

/// A file's content, after decompression.
class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Fills `into` as far as there is content; returns the number of bytes.
  virtual Result<std::size_t> read(std::span<std::uint8_t> into) = 0;
  /// An upper bound of what can still be read.
  virtual std::uint64_t mostLeft() const = 0;
  /// Whether the content ended properly, at the end of the file.
  virtual bool isComplete() const = 0;
};

class PlainSource final : public Source {
 public:
  explicit PlainSource(BytesView bytes) : left_(bytes) {}

  Result<std::size_t> read(std::span<std::uint8_t> into) override {
    const std::size_t size = std::min(into.size(), left_.size());
    if (size > 0) std::memcpy(into.data(), left_.data(), size);
    left_ = left_.subspan(size);
    return size;
  }
  std::uint64_t mostLeft() const override { return left_.size(); }
  bool isComplete() const override { return left_.empty(); }

 private:
  BytesView left_;
};

class GzipSource final : public Source {
 public:
  explicit GzipSource(BytesView bytes) {
    // zlib's interface lacks const; it does not write there.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  Result<std::size_t> read(std::span<std::uint8_t> into) override {
    stream_.next_out = into.data();
    stream_.avail_out = static_cast<uInt>(into.size());
    while (stream_.avail_out > 0 && !ended_) {
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_BUF_ERROR) break;  // no input left
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      ended_ = status == Z_STREAM_END;
      if (!ended_ && status != Z_OK) {
        return Error{ErrorCode::kInvalid, std::string("gzip content is damaged: ") +
                                              (stream_.msg == nullptr ? "" : stream_.msg)};
      }
    }
    return into.size() - stream_.avail_out;
  }
  std::uint64_t mostLeft() const override {
    // Deflate makes at most 258 bytes of 2 bits; what zlib holds back is below one window.
    constexpr std::uint64_t kMaxRatio = 1032;
    constexpr std::uint64_t kWindow = 1U << 15U;
    return kMaxRatio * stream_.avail_in + kWindow;
  }
  bool isComplete() const override { return ended_ && stream_.avail_in == 0; }

 private:
  z_stream stream_{};
  bool ended_ = false;
};

std::unique_ptr<Source> sourceOf(BytesView bytes) {
  const bool is_gzip =
      bytes.size() >= 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
  if (is_gzip) return std::make_unique<GzipSource>(bytes);
  return std::make_unique<PlainSource>(bytes);
}

std::uint32_t bigEndian(std::span<const std::uint8_t> bytes, std::size_t word) {
  std::uint32_t value = 0;
  for (const std::uint8_t byte : bytes.subspan(4 * word, 4))
    value = (value << 8U) | byte;
  return value;
}

std::string idxHexadecimal(std::uint32_t value) {
  return "0x" + hexText(value, 8);
}

Error idxInvalid(const std::string& message) {
  return Error{ErrorCode::kInvalid, message};
}

/// What a file must have: `rank` extents, and unsigned bytes or, where they may be, 32-bit numbers.
struct Wanted {
  int rank = 1;
  bool takes_integers = false;

  bool fits(std::uint32_t magic) const {
    const auto extents = static_cast<std::uint32_t>(rank);
    return magic == kMagicOfBytes + extents ||
           (takes_integers && magic == kMagicOfIntegers + extents);
  }
  std::string text() const {
    const auto extents = static_cast<std::uint32_t>(rank);
    const std::string integers =
        takes_integers
            ? ", or " + idxHexadecimal(kMagicOfIntegers + extents) + " for 32-bit numbers"
            : "";
    return idxHexadecimal(kMagicOfBytes + extents) + " (IDX, unsigned bytes, " +
           std::to_string(rank) + (rank == 1 ? " extent)" : " extents)") + integers;
  }
};

struct Header {
  std::vector<std::uint32_t> extents;
  bool is_of_integers = false;
};

Result<Header> readHeader(Source& source, const Wanted& wanted) {
  const auto words = static_cast<std::size_t>(wanted.rank) + 1;
  std::vector<std::uint8_t> header(4 * words);
  const auto size = source.read(header);
  if (!size) return size.error();
  const std::uint32_t magic = bigEndian(header, 0);
  if (*size >= 4 && !wanted.fits(magic)) {
    return idxInvalid("found magic number " + idxHexadecimal(magic) + ", expected " +
                      wanted.text());
  }
  if (*size < header.size()) {
    return idxInvalid("it is cut short: found " + std::to_string(*size) + " bytes, expected " +
                      std::to_string(header.size()) + " of header");
  }
  Header found;
  found.is_of_integers = magic >= kMagicOfIntegers;
  for (std::size_t word = 1; word < words; ++word)
    found.extents.push_back(bigEndian(header, word));
  return found;
}

constexpr std::uint64_t kBytesOfInteger = 4;

/// The bytes of all values, or nothing beyond kMaxIdxValues.
std::optional<std::uint64_t> bytesOf(const Header& header) {
  std::uint64_t bytes = header.is_of_integers ? kBytesOfInteger : 1;
  for (const std::uint32_t extent : header.extents) {
    bytes *= extent;  // below 2^31 times below 2^32
    if (bytes > kMaxIdxValues) return std::nullopt;
  }
  return bytes;
}

/// A file's header, and the bytes of its values.
struct Content {
  Header header;
  std::vector<std::uint8_t> bytes;
};

Result<Content> readFrom(Source& source, const Wanted& wanted) {
  auto header = readHeader(source, wanted);
  if (!header) return header.error();
  Content content{std::move(*header), {}};
  const auto expected = bytesOf(content.header);
  if (!expected) return idxInvalid("its header declares more than 2 GiB of values");
  const std::uint64_t width = content.header.is_of_integers ? kBytesOfInteger : 1;
  const std::string announced =
      "expected " + std::to_string(*expected / width) + " values by its header";
  if (*expected > source.mostLeft()) return idxInvalid("it is cut short: " + announced);
  content.bytes.resize(*expected);
  const auto size = source.read(content.bytes);
  if (!size) return size.error();
  if (*size < *expected) {
    return idxInvalid("it is cut short: found " + std::to_string(*size / width) + " values, " +
                      announced);
  }
  std::array<std::uint8_t, 1> more{};
  const auto further = source.read(more);
  if (!further) return further.error();
  if (*further > 0) return idxInvalid("it has bytes after its values: " + announced);
  if (!source.isComplete()) return idxInvalid("its gzip stream does not end where the file ends");
  return content;
}

Result<Content> readContent(const std::filesystem::path& path, const Wanted& wanted) {
  const auto bytes = readFile(path, kMaxIdxFile);
  if (!bytes) return bytes.error();
  auto content = readFrom(*sourceOf(*bytes), wanted);
  if (!content) return content.error().within("cannot read " + path.string());
  return content;
}

}  // namespace

Result<IdxFile> readIdx(const std::filesystem::path& path, int rank) {
  SUMAC_CHECK(rank >= 1 && rank <= 4, rank);
  auto content = readContent(path, {.rank = rank});
  if (!content) return content.error();
  return IdxFile{std::move(content->header.extents), std::move(content->bytes)};
}

Result<std::vector<std::int32_t>> readIdxLabels(const std::filesystem::path& path) {
  const auto content = readContent(path, {.rank = 1, .takes_integers = true});
  if (!content) return content.error();
  const std::vector<std::uint8_t>& bytes = content->bytes;
  if (!content->header.is_of_integers) return std::vector<std::int32_t>(bytes.begin(), bytes.end());
  std::vector<std::int32_t> labels(bytes.size() / kBytesOfInteger);
  for (std::size_t i = 0; i < labels.size(); ++i)
    labels[i] = static_cast<std::int32_t>(bigEndian(bytes, i));
  return labels;
}

}  // namespace sumac::worker
