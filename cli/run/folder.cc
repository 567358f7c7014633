#include "cli/run/folder.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/core/file.h"
#include "base/log/line_format.h"
#include "base/terminal/terminal.h"

namespace sumac::cli {
namespace {

std::string fileName(Slot slot, const char* ending) {
  return std::string(slot.role == Role::kServer ? "server-" : "worker-") +
         std::to_string(slot.index) + ending;
}

Error cannotCreate(const std::filesystem::path& path, const std::error_code& error) {
  return Error{errorCodeOf(error),
               "cannot create output folder " + path.string() + ": " + error.message()};
}

/// Whether `name` is "worker-1.log", "server-0.end", "worker-0.trace" or the like.
bool isOfMember(std::string_view name) {
  if (!name.starts_with("worker-") && !name.starts_with("server-")) return false;
  name.remove_prefix(std::string_view("worker-").size());
  const auto digits = name.find_first_not_of("0123456789");
  if (digits == 0 || digits == name.npos) return false;
  const std::string_view ending = name.substr(digits);
  return ending == ".log" || ending == ".end" || ending == ".trace";
}

/// Whether there is no checkpoint in the folder, nor anything of the user's.
bool holdsNothing(const std::filesystem::path& folder, std::error_code& error) {
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().filename() != kWritableProbe) return false;
  }
  return !error;
}

/// Whether `path` is one of the files that a run leaves which ended before it trained.
bool isEndOfNothing(const std::filesystem::path& path, const RunFolder& folder) {
  const OutputFolder output = folder.output();
  if (path == output.metrics()) return std::filesystem::file_size(path) > 0 && !output.hasTrained();
  if (path == output.curve()) return !output.hasTrained();
  return path == output.result() && !output.hasTrained() && !output.readResult();
}

/// The files of a run that ended before it trained; nothing if the folder has any other file. A job
/// document alone may be the user's own.
std::optional<std::vector<std::filesystem::path>> leftovers(const RunFolder& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder.path(), error), end; !error && it != end;
       it.increment(error)) {
    const auto& path = it->path();
    const bool is_ours = path == folder.job() || path == folder.unfinishedJob() ||
                         path == folder.keys() || path == folder.workers() ||
                         isOfMember(path.filename().string()) ||
                         path.filename() == kWritableProbe || isEndOfNothing(path, folder) ||
                         (path == folder.checkpoints() && holdsNothing(path, error));
    if (!is_ours) return std::nullopt;
    found.push_back(path);
  }
  const bool has_begun = std::filesystem::exists(folder.log({Role::kServer, 0}), error) ||
                         std::filesystem::exists(folder.log({Role::kWorker, 0}), error);
  const bool has_job = std::filesystem::exists(folder.job(), error);
  if (error || has_job != has_begun) return std::nullopt;
  return found;
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
  if (leftovers(*this)) return {};
  const bool is_run = std::filesystem::exists(job(), error);
  return Error{ErrorCode::kConflict,
               "output folder " + path_.string() + " is not empty; choose another" +
                   (is_run ? ", or resume the run in it: --resume " + shellWord(path_.string())
                           : std::string())};
}

void RunFolder::removeLeftovers() const {
  std::error_code ignored;
  for (const auto& path : leftovers(*this).value_or(std::vector<std::filesystem::path>()))
    std::filesystem::remove_all(path, ignored);
}

bool RunFolder::removeUnused() const {
  removeLeftovers();
  std::error_code error;
  return std::filesystem::remove(path_, error) && !error;  // not with anything left in it
}

std::string RunFolder::onOneLine(std::string text) {
  while (text.ends_with('\n'))
    text.pop_back();
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

std::string RunFolder::logTail(Slot slot, int lines, bool without_end, std::uintmax_t from) const {
  std::string found = tail(log(slot), lines, from);
  if (!without_end || found.empty()) return found;
  const auto last = found.rfind('\n', found.size() - 2) + 1;  // 0 after npos: the only line
  const std::string_view line = std::string_view(found).substr(last);
  const bool is_end = line.find("\"ended\"") != line.npos && line.find(" code=") != line.npos;
  return is_end ? found.substr(0, last) : found;
}

std::string RunFolder::tail(const std::filesystem::path& file, int lines, std::uintmax_t begin) {
  constexpr std::streamoff kMaxBytes = 8192;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const auto from = std::max<std::streamoff>(in.tellg() - std::streampos(kMaxBytes),
                                             static_cast<std::streamoff>(begin));
  in.seekg(from);
  std::ostringstream text;
  text << in.rdbuf();
  return lastLines(text.str(), lines);
}

std::string RunFolder::lastLines(const std::string& text, int lines) {
  std::istringstream in(text);
  std::vector<std::string> found;
  for (std::string line; std::getline(in, line);) {
    if (auto plain = textFromJsonLine(line)) line = *std::move(plain);
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
