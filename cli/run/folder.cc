#include "cli/run/folder.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "common/log/line_format.h"

namespace sumac::cli {
namespace {

std::string fileName(Slot slot, const char* ending) {
  return std::string(slot.role == Role::kServer ? "server-" : "worker-") +
         std::to_string(slot.index) + ending;
}

Error cannotCreate(const std::filesystem::path& path, const std::error_code& error) {
  return Error{ErrorCode::kUnavailable,
               "cannot create output folder " + path.string() + ": " + error.message()};
}

}  // namespace

std::filesystem::path RunFolder::log(Slot slot) const {
  return path_ / fileName(slot, ".log");
}

std::filesystem::path RunFolder::terminationFile(Slot slot) const {
  return path_ / fileName(slot, ".end");
}

Result<RunFolder> RunFolder::createNext(const std::filesystem::path& wanted) {
  std::error_code error;
  if (wanted.has_parent_path()) std::filesystem::create_directories(wanted.parent_path(), error);
  std::filesystem::path path = wanted;
  for (int number = 2; !error; ++number) {
    // mkdir(2) decides between processes: for exactly one of them the folder is new.
    if (std::filesystem::create_directory(path, error)) return RunFolder(path);
    if (!error) path = wanted.string() + "-" + std::to_string(number);
  }
  return cannotCreate(path, error);
}

Result<void> RunFolder::create() const {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) return cannotCreate(path_, error);
  if (std::filesystem::is_empty(path_, error) && !error) return {};
  return Error{ErrorCode::kConflict, "output folder " + path_.string() +
                                         " is not empty; choose another, or resume the run "
                                         "in it: --resume " +
                                         path_.string()};
}

std::string RunFolder::tail(const std::filesystem::path& file, int lines) {
  constexpr std::streamoff kMaxBytes = 8192;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const auto from = std::max<std::streamoff>(in.tellg() - std::streampos(kMaxBytes), 0);
  in.seekg(from);
  std::vector<std::string> found;
  for (std::string line; std::getline(in, line);) {
    if (auto text = textFromJsonLine(line)) line = *std::move(text);
    std::erase_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; });
    if (!line.empty()) found.push_back(line);
  }
  const auto count = std::min(found.size(), static_cast<std::size_t>(lines));
  std::string out;
  for (auto it = found.end() - static_cast<std::ptrdiff_t>(count); it != found.end(); ++it) {
    out += "    " + *it + "\n";
  }
  return out;
}

}  // namespace sumac::cli
