#include "cli/programs/ask_program.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/core/descriptor.h"
#include "base/core/exit_code.h"
#include "base/process/spawn.h"

namespace sumac::cli {
namespace {

Error systemError(const std::string& what) {
  return Error{ErrorCode::kUnavailable, what + ": " + std::strerror(errno)};
}

/// Whether all of it was written, so that the reader of the file begins at its start.
bool writeAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::lseek(file, 0, SEEK_SET) == 0;
}

std::string readAll(int file) {
  ::lseek(file, 0, SEEK_SET);
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t n = 0; (n = ::read(file, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(n));
  return text;
}

/// The program's exit status, with these standard files.
Result<int> runProgram(const ChildProgram& program) {
  const auto child = startProgram(program);
  if (!child) return child.error();
  int status = 0;
  while (::waitpid(*child, &status, 0) < 0) {
    if (errno != EINTR) return systemError("cannot wait for " + program.program.string());
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// What a program says, without what all of our messages begin with.
std::string messageOf(std::string text) {
  constexpr std::string_view kBegin = "error: ";
  if (text.starts_with(kBegin)) text.erase(0, kBegin.size());
  while (text.ends_with('\n'))
    text.pop_back();
  return text;
}

}  // namespace

Result<std::string> askProgram(const std::filesystem::path& program,
                               std::vector<std::string> arguments, const std::string& input,
                               Messages messages) {
  const Descriptor in(::memfd_create("document", MFD_CLOEXEC));
  const Descriptor out(::memfd_create("answer", MFD_CLOEXEC));
  const Descriptor err(::memfd_create("messages", MFD_CLOEXEC));
  if (in.get() < 0 || out.get() < 0 || err.get() < 0 || !writeAll(in.get(), input)) {
    return systemError("cannot ask " + program.string());
  }
  const int told = messages == Messages::kShown ? STDERR_FILENO : err.get();
  const auto status = runProgram(
      {.program = program,
       .arguments = std::move(arguments),
       .descriptors = {{STDIN_FILENO, in.get()}, {STDOUT_FILENO, out.get()}, {STDERR_FILENO, told}},
       .has_own_group = false});
  if (!status) return status.error();
  if (*status != 0) {
    const bool is_resource = *status == toInt(ExitCode::kResourceFailed);
    return Error{is_resource ? ErrorCode::kUnavailable : ErrorCode::kInvalid,
                 messageOf(readAll(err.get()))};
  }
  return readAll(out.get());
}

Result<std::string> askWorker(const std::filesystem::path& programs,
                              std::vector<std::string> arguments, const std::string& input,
                              Messages messages) {
  return askProgram(programs / "sumac-worker", std::move(arguments), input, messages);
}

}  // namespace sumac::cli
