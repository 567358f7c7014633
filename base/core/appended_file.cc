#include "base/core/appended_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/core/file.h"

namespace sumac {
namespace {

Error cannotWrite(const std::filesystem::path& path, int number) {
  const std::error_code failure(number, std::generic_category());
  return {errorCodeOf(failure), "cannot write " + path.string() + ": " + failure.message()};
}

int flagsOf(AppendedFile::Beginning beginning) {
  switch (beginning) {
    case AppendedFile::Beginning::kEmpty: return O_TRUNC;
    case AppendedFile::Beginning::kNew: return O_EXCL;
    case AppendedFile::Beginning::kKept: return 0;
  }
  return 0;
}

}  // namespace

Result<AppendedFile> AppendedFile::open(std::filesystem::path path, Beginning beginning) {
  constexpr mode_t kMode = 0644;
  Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flagsOf(beginning), kMode));
  if (!file) return cannotWrite(path, errno);
  return AppendedFile(std::move(path), std::move(file));
}

// All or nothing: half a piece would spoil the next one, too.
Result<void> AppendedFile::append(BytesView piece) {
  const off_t before = ::lseek(file_.get(), 0, SEEK_END);
  while (!piece.empty()) {
    const ssize_t written = ::write(file_.get(), piece.data(), piece.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      auto failure = cannotWrite(path_, errno);
      [[maybe_unused]] const int is_left = ::ftruncate(file_.get(), before);
      return failure;
    }
    piece = piece.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace sumac
