#include "base/process/memory_end.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <memory>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "base/core/exit_code.h"
#include "base/process/termination_message.h"

namespace sumac {
namespace {

struct MemoryEnd {
  std::string line;  // for standard error
  std::string text;  // for the termination file
  std::string file;
  const MemoryEnd* previous = nullptr;  // never freed: another thread may be at it
};

std::atomic<const MemoryEnd*> prepared_end{nullptr};
static_assert(std::atomic<const MemoryEnd*>::is_always_lock_free);

void put(int fd, std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(fd, text.data(), text.size());
}

/// In place: see writeTermination().
void putInto(const char* file, std::string_view text) {
  constexpr mode_t kMode = 0666;
  const int fd = ::open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (fd >= 0) put(fd, text);
}

/// On the thread that aborts: what failed there has left its number in errno.
void onAbort(int signal, siginfo_t* info, void* /*context*/) {
  const bool is_of_abort = info->si_code == SI_TKILL && info->si_pid == ::getpid();
  if (is_of_abort && errno == ENOMEM) endWithoutMemory();
  std::signal(signal, SIG_DFL);
  ::raise(signal);  // once this handler has returned
}

}  // namespace

void prepareMemoryEnd(std::string_view reason, const std::filesystem::path& termination_file) {
  auto next = std::make_unique<MemoryEnd>();
  next->line = "error: " + std::string(reason) + "\n";
  next->text = LastWords{std::string(reason)}.text();
  next->file = termination_file.string();
  next->previous = prepared_end;
  prepared_end = next.release();
}

void endWithoutMemory() {
  if (const MemoryEnd* const end = prepared_end) {
    put(STDERR_FILENO, end->line);
    if (!end->file.empty()) putInto(end->file.c_str(), end->text);
  }
  ::_exit(toInt(ExitCode::kResourceFailed));
}

void catchAbortsForMemory() {
  struct sigaction action {};
  action.sa_sigaction = onAbort;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGABRT, &action, nullptr);
}

}  // namespace sumac
