#include "cli/run/wanted_workers.h"

#include <charconv>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "base/core/file.h"
#include "cli/run/folder.h"

namespace sumac::cli {
namespace {

constexpr std::size_t kMostBytes = 32;

std::optional<int> numberIn(std::string_view text, int most) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  if (!is_whole || number < 1 || number > most) return std::nullopt;
  return number;
}

}  // namespace

WantedWorkers::WantedWorkers(std::filesystem::path file)
    : file_(std::move(file)), seen_(identityOf(file_)) {}

std::optional<WantedWorkers::Identity> WantedWorkers::identityOf(
    const std::filesystem::path& file) {
  struct stat is {};
  if (::stat(file.c_str(), &is) != 0) return std::nullopt;
  return Identity{is.st_ino, is.st_mtim.tv_sec, is.st_mtim.tv_nsec, is.st_size};
}

Result<std::optional<int>> WantedWorkers::look(int most) {
  const auto now = identityOf(file_);
  if (now == std::exchange(seen_, now) || !now) return std::optional<int>();
  const auto text = readTextFile(file_, kMostBytes);
  if (!text) return text.error();
  if (const auto number = numberIn(*text, most)) return number;
  return Error{ErrorCode::kInvalid, file_.string() + " holds `" + RunFolder::onOneLine(*text) +
                                        "`; a number of workers from 1 to " + std::to_string(most) +
                                        " is needed"};
}

Result<void> WantedWorkers::write(const std::filesystem::path& file, int workers) {
  return replaceFile(file, asBytes(std::to_string(workers) + "\n"));
}

}  // namespace sumac::cli
