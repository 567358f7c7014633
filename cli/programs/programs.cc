#include "cli/programs/programs.h"

#include <ostream>
#include <string_view>

#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "base/core/installation.h"
#include "base/core/version.h"
#include "base/process/process_end.h"
#include "base/terminal/terminal.h"
#include "cli/programs/ask_program.h"

namespace sumac::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFolderVariable = "SUMAC_PROGRAMS_DIR";

/// What a program says its version is: "0.1.0" of "sumac-worker 0.1.0".
Result<ProgramVersion> askVersion(const fs::path& program) {
  const auto is_there = isThere(program);
  if (is_there && !*is_there) {
    return Error{ErrorCode::kNotFound, "there is no " + program.string() +
                                           ", which sumac starts; sumac, sumac-worker and "
                                           "sumac-server belong in one folder: install or copy all "
                                           "of them"};
  }
  auto said = askProgram(program, {"--version"}, "");
  // What the machine lacks now, such as open files, is no fault of the program.
  if (!said && said.error().code == ErrorCode::kUnavailable) return said.error();
  if (!said) {
    return Error{ErrorCode::kNotFound, program.string() + " does not start: " +
                                           said.error().message + "; " + kPartsBelongTogether};
  }
  while (said->ends_with('\n'))
    said->pop_back();
  const std::string begin = program.filename().string() + " ";
  return ProgramVersion{program, said->starts_with(begin) ? said->substr(begin.size()) : *said};
}

}  // namespace

Result<void> checkVersion(const ProgramVersion& ours, const ProgramVersion& other) {
  if (other.version == ours.version) return {};
  return Error{ErrorCode::kConflict, other.program.string() + " has version " + other.version +
                                         ", but " + ours.program.string() +
                                         ", which starts it, has version " + ours.version +
                                         "; install all programs of one version in one folder"};
}

fs::path programsFolder() {
  if (const auto folder = environment(kFolderVariable); !folder.empty()) return folder;
  const auto installation = ourInstallation();
  return installation ? installation->programs : fs::path();
}

Result<fs::path> findPrograms() {
  fs::path folder = programsFolder();
  const auto installation = ourInstallation();
  if (!installation) return installation.error();
  const ProgramVersion ours{installation->programs / "sumac", kVersion};
  for (const char* const name : {"sumac-worker", "sumac-server"}) {
    const auto other = askVersion(folder / name);
    if (!other) return other.error();
    if (const auto same = checkVersion(ours, *other); !same) return same.error();
  }
  return folder;
}

int withPrograms(std::ostream& err, const std::function<int(const fs::path&)>& command) {
  const auto programs = findPrograms();
  if (programs) return command(*programs);
  return toInt(complain(err, programs.error(), endOf(programs.error(), ExitCode::kFailed).code));
}

}  // namespace sumac::cli
