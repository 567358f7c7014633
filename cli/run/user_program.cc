#include "cli/run/user_program.h"

#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/core/file.h"
#include "base/process/member_flags.h"
#include "base/terminal/terminal.h"
#include "job/document/program_code.h"

namespace sumac::cli {
namespace {

namespace fs = std::filesystem;

bool isFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool mayExecute(const fs::path& path) {
  return isFile(path) && ::access(path.c_str(), X_OK) == 0;
}

/// The first executable file of that name in the folders of PATH; an empty folder is the current
/// one.
std::optional<fs::path> inPath(const std::string& name, std::string_view path) {
  while (true) {
    const auto colon = path.find(':');
    const fs::path folder = colon == 0 || path.empty() ? fs::path(".") : path.substr(0, colon);
    if (mayExecute(folder / name)) return folder / name;
    if (colon == path.npos) return std::nullopt;
    path.remove_prefix(colon + 1);
  }
}

Error notFound(const std::string& name) {
  const bool is_script = isFile(name);
  return {ErrorCode::kNotFound,
          "spec.program.command: there is no program `" + name + "` in the folders of PATH" +
              (is_script ? "; for the file in this folder write ./" + name + ", or python " + name
                         : "; install it, or write the path of its file")};
}

Result<fs::path> findProgram(const std::string& name, const std::string& path) {
  if (name.find('/') == name.npos) {
    auto found = inPath(name, path);
    if (!found) return notFound(name);
    return *std::move(found);
  }
  if (mayExecute(name)) return fs::path(name);
  std::error_code ignored;
  if (!fs::exists(name, ignored))
    return Error{ErrorCode::kNotFound, "spec.program.command: there is no file " + name};
  return Error{ErrorCode::kInvalid,
               "spec.program.command: " + name +
                   (isFile(name) ? " may not be executed: chmod +x " + name +
                                       " allows it, or name its interpreter, such as python, first"
                                 : " is no file")};
}

/// The first of these that is there; empty where none is.
fs::path firstOf(std::initializer_list<fs::path> places) {
  std::error_code ignored;
  for (const fs::path& place : places) {
    if (fs::exists(place, ignored)) return place;
  }
  return {};
}

}  // namespace

Result<ProgramSurroundings> ourSurroundings() {
  auto installation = ourInstallation();
  if (!installation) return installation.error();
  std::error_code failure;
  auto folder = fs::current_path(failure);
  if (failure) return Error{errorCodeOf(failure), "the current folder: " + failure.message()};
  return ProgramSurroundings{.path = environment("PATH"),
                             .library = environment(member_flags::kLibraryVariable),
                             .python_path = environment("PYTHONPATH"),
                             .folder = folder,
                             .installation = *std::move(installation)};
}

Result<UserProgram> findUserProgram(const job::ProgramSpec& spec,
                                    const ProgramSurroundings& surroundings) {
  auto file = findProgram(spec.command.front(), surroundings.path);
  if (!file) return file.error();
  UserProgram program{.file = *std::move(file),
                      .arguments = {spec.command.begin() + 1, spec.command.end()},
                      .variables = {}};
  for (const char* const name : member_flags::kThreadVariables)
    program.variables[name] = std::to_string(spec.threads);
  if (spec.code) {
    if (auto checked = job::checkCode(*spec.code, surroundings.folder); !checked)
      return Error{checked.error().code,
                   checked.error().message +
                       "; start `sumac run` in the folder that has them, or take "
                       "spec.program.code out"};
    program.variables[member_flags::kCode.variable] = surroundings.folder.string();
  }
  const auto& [programs, libraries, shared] = surroundings.installation;
  if (surroundings.library.empty()) {
    const fs::path library = firstOf({libraries / member_flags::kLibraryFile,
                                      libraries.parent_path() / member_flags::kLibraryFile});
    if (!library.empty()) program.variables[member_flags::kLibraryVariable] = library.string();
  }
  const fs::path python = firstOf({shared / "python"});
  if (!python.empty()) {
    const std::string& before = surroundings.python_path;
    program.variables["PYTHONPATH"] = (before.empty() ? "" : before + ":") + python.string();
  }
  return program;
}

}  // namespace sumac::cli
