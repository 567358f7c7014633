#include "cli/mode/worker_memory.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <spawn.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace sumac::cli {
namespace {

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return number_; }

 private:
  int number_;
};

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

/// The program's status, with its three standard files.
Result<int> runProgram(const std::string& program, std::vector<std::string>& arguments, int in,
                       int out, int err) {
  std::vector<char*> words;
  std::string name = program;
  words.push_back(name.data());
  for (std::string& argument : arguments)
    words.push_back(argument.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
  pid_t child = 0;
  const int failure =
      ::posix_spawn(&child, program.c_str(), &files, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (failure != 0) {
    return Error{failure == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
                 "cannot execute " + program + ": " + std::strerror(failure)};
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return systemError("cannot wait for " + program);
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
  const auto status =
      runProgram((programs / "sumac-worker").string(), arguments, in.get(), out.get(), err.get());
  if (!status) return status.error();
  if (*status != 0) return Error{ErrorCode::kInvalid, readAll(err.get())};
  return memoryFromJson(readAll(out.get()));
}

std::string memoryLine(const WorkerMemory& memory) {
  constexpr double kMiB = 1024.0 * 1024.0;
  std::array<char, 64> size{};
  std::snprintf(size.data(), size.size(), "%.1f MiB", static_cast<double>(memory.bytes) / kMiB);
  return "Memory of a worker: about " + std::string(size.data()) + " and its data (" +
         std::to_string(memory.samples) + " samples at once, " + memory.kernels + " kernels)";
}

}  // namespace sumac::cli
