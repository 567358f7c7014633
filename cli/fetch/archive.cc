#include "cli/fetch/archive.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <zlib.h>

#include "base/core/bytes.h"
#include "base/core/file.h"

namespace sumac::cli {
namespace {

constexpr std::size_t kBlock = 512;
using Block = std::array<char, kBlock>;

/// A text in a header: up to its first NUL.
std::string_view field(const Block& header, std::size_t at, std::size_t size) {
  const std::string_view text(header.data() + at, size);
  return text.substr(0, text.find('\0'));
}

struct Entry {
  std::string path;
  std::uint64_t size = 0;
  bool is_file = false;
};

/// What a header says; nothing where it is not one. Fields as in POSIX ustar.
std::optional<Entry> entryOf(const Block& header) {
  constexpr std::size_t kName = 0;
  constexpr std::size_t kNameSize = 100;
  constexpr std::size_t kSize = 124;
  constexpr std::size_t kSizeSize = 12;
  constexpr std::size_t kType = 156;
  auto size = field(header, kSize, kSizeSize);
  size.remove_prefix(std::min(size.find_first_not_of(' '), size.size()));
  size = size.substr(0, size.find(' '));
  Entry entry{.path = std::string(field(header, kName, kNameSize))};
  const auto [end, failure] =
      std::from_chars(size.data(), size.data() + size.size(), entry.size, 8);
  if (failure != std::errc() || end != size.data() + size.size()) return std::nullopt;
  entry.is_file = header.at(kType) == '0' || header.at(kType) == '\0';
  return entry;
}

class Archive {
 public:
  explicit Archive(const std::filesystem::path& path)
      : file_(::gzopen(path.c_str(), "rb"), &::gzclose) {}

  explicit operator bool() const { return file_ != nullptr; }

  /// Whether all of `size` bytes came.
  bool read(void* bytes, std::size_t size) {
    return ::gzread(file_.get(), bytes, static_cast<unsigned>(size)) == static_cast<int>(size);
  }

  bool skip(std::uint64_t size) {
    Block block{};
    for (; size > 0; size -= std::min<std::uint64_t>(size, kBlock)) {
      if (!read(block.data(), std::min<std::uint64_t>(size, kBlock))) return false;
    }
    return true;
  }

 private:
  std::unique_ptr<gzFile_s, decltype(&::gzclose)> file_;
};

/// The zeros after a file of `size` bytes.
std::uint64_t paddingOf(std::uint64_t size) {
  return (kBlock - size % kBlock) % kBlock;
}

Error damaged(const std::filesystem::path& path) {
  return Error{ErrorCode::kInvalid, path.string() + " is damaged; delete it and fetch it again"};
}

}  // namespace

Result<void> unpackMembers(const std::filesystem::path& path,
                           std::span<const ArchiveMember> members,
                           const std::filesystem::path& folder) {
  Archive archive(path);
  if (!archive) return Error{ErrorCode::kUnavailable, "cannot read " + path.string()};
  std::size_t found = 0;
  Block header{};
  while (found < members.size()) {
    if (!archive.read(header.data(), header.size())) return damaged(path);
    if (header.front() == '\0') break;  // the archive's end
    const auto entry = entryOf(header);
    if (!entry) return damaged(path);
    const auto member = std::find_if(members.begin(), members.end(),
                                     [&](const auto& each) { return each.path == entry->path; });
    if (member == members.end() || !entry->is_file) {
      if (!archive.skip(entry->size) || !archive.skip(paddingOf(entry->size))) return damaged(path);
      continue;
    }
    if (entry->size != member->size) return damaged(path);
    Bytes content(entry->size);
    if (!archive.read(content.data(), content.size()) || !archive.skip(paddingOf(entry->size))) {
      return damaged(path);
    }
    const auto name = std::filesystem::path(member->path).filename();
    if (const auto written = replaceFile(folder / name, content); !written) return written.error();
    ++found;
  }
  if (found < members.size()) return damaged(path);
  return {};
}

}  // namespace sumac::cli
