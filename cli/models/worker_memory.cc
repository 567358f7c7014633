#include "cli/models/worker_memory.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/base/descriptor.h"
#include "common/base/text.h"
#include "common/process/spawn.h"

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

Result<WorkerMemory> memoryFromJson(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("bytes")) {
    return Error{ErrorCode::kInvalid, "sumac-worker memory gave no answer"};
  }
  return WorkerMemory{.bytes = json.value("bytes", std::uint64_t{0}),
                      .samples = json.value("samples", std::int64_t{0}),
                      .kernels = json.value("kernels", "")};
}

}  // namespace

Result<WorkerMemory> askWorkerMemory(const std::filesystem::path& programs,
                                     std::vector<std::string> arguments, const std::string& input) {
  const Descriptor in(::memfd_create("document", MFD_CLOEXEC));
  const Descriptor out(::memfd_create("answer", MFD_CLOEXEC));
  const Descriptor err(::memfd_create("messages", MFD_CLOEXEC));
  if (in.get() < 0 || out.get() < 0 || err.get() < 0 || !writeAll(in.get(), input)) {
    return systemError("cannot ask sumac-worker");
  }
  arguments.insert(arguments.begin(), "memory");
  const auto status = runProgram({.program = programs / "sumac-worker",
                                  .arguments = std::move(arguments),
                                  .descriptors = {{STDIN_FILENO, in.get()},
                                                  {STDOUT_FILENO, out.get()},
                                                  {STDERR_FILENO, err.get()}},
                                  .has_own_group = false});
  if (!status) return status.error();
  if (*status != 0) return Error{ErrorCode::kInvalid, readAll(err.get())};
  return memoryFromJson(readAll(out.get()));
}

std::string memoryLine(const WorkerMemory& memory) {
  return "Memory of a worker: about " + bytesText(memory.bytes) + " and its data (" +
         std::to_string(memory.samples) + " samples at once, " + memory.kernels + " kernels)";
}

std::uint64_t machineMemory() {
  struct sysinfo info {};
  if (::sysinfo(&info) != 0) return std::numeric_limits<std::uint64_t>::max();
  return (std::uint64_t{info.totalram} + info.totalswap) * info.mem_unit;
}

}  // namespace sumac::cli
