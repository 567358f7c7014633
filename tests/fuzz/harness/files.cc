#include "tests/fuzz/harness/files.h"

#include <algorithm>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/core/check.h"

namespace sumac::fuzz {
namespace {

constexpr std::size_t kLengthBytes = 3;
constexpr std::size_t kMaxFile = 64UL * 1024;

void writeAll(int descriptor, BytesView content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    SUMAC_CHECK(written > 0, written);
    content = content.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace

MemoryFile::MemoryFile(BytesView content) : descriptor_(::memfd_create("sumac-fuzz", MFD_CLOEXEC)) {
  SUMAC_CHECK(descriptor_ >= 0);
  writeAll(descriptor_, content);
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

std::filesystem::path MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

void writeFile(const std::filesystem::path& path, BytesView content) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  SUMAC_CHECK(descriptor >= 0, path);
  writeAll(descriptor, content);
  ::close(descriptor);
}

std::vector<Bytes> filesIn(BytesView input, std::size_t count) {
  Bytes lengths(kLengthBytes * count);
  const std::size_t given = std::min(input.size(), lengths.size());
  std::copy_n(input.begin(), given, lengths.begin());
  input = input.subspan(given);

  std::vector<Bytes> files;
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* at = lengths.data() + kLengthBytes * i;
    const std::size_t length =
        loadLittleEndian<std::uint16_t>(at) | (std::to_integer<std::size_t>(at[2]) & 1U) << 16U;
    Bytes file(std::min(length, kMaxFile));
    const std::size_t taken = std::min(file.size(), input.size());
    std::copy_n(input.begin(), taken, file.begin());
    input = input.subspan(taken);
    files.push_back(std::move(file));
  }
  return files;
}

Bytes joined(const std::vector<Bytes>& files) {
  Bytes input(kLengthBytes * files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    SUMAC_CHECK(files[i].size() <= kMaxFile, files[i].size());
    std::byte* at = input.data() + kLengthBytes * i;
    storeLittleEndian(at, static_cast<std::uint16_t>(files[i].size() & 0xFFFFU));
    at[2] = static_cast<std::byte>(files[i].size() >> 16U);
  }
  for (const Bytes& file : files)
    input.insert(input.end(), file.begin(), file.end());
  while (!input.empty() && input.back() == std::byte{0})
    input.pop_back();
  return input;
}

}  // namespace sumac::fuzz
