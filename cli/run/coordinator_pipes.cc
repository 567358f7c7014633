#include "cli/run/coordinator_pipes.h"

#include <cerrno>
#include <utility>

#include <unistd.h>

namespace sumac::cli {
namespace {

/// Whatever can be read now; nothing at the end of the stream.
std::optional<std::string> readSome(const Descriptor& from) {
  char buffer[16'384];
  const ssize_t got = ::read(from.get(), buffer, sizeof buffer);
  if (got > 0) return std::string(buffer, static_cast<std::size_t>(got));
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::string();
  return std::nullopt;
}

}  // namespace

Result<void> CoordinatorPipes::open() {
  auto ready = makePipe();
  if (!ready) return ready.error();
  auto progress = makePipe();
  if (!progress) return progress.error();
  ready_ = *std::move(ready);
  progress_ = *std::move(progress);
  ready_lines_.restart();
  progress_lines_.restart();
  return {};
}

void CoordinatorPipes::handOver() {
  ready_.write.reset();
  progress_.write.reset();
}

std::optional<std::string> CoordinatorPipes::takeEndpoint() {
  if (!ready_.read) return std::nullopt;
  const auto bytes = readSome(ready_.read);
  if (!bytes) {
    ready_.read.reset();
    return std::nullopt;
  }
  for (const std::string& line : ready_lines_.feed(*bytes)) {
    if (line.starts_with("tcp://")) return line;
  }
  return std::nullopt;
}

std::vector<std::string> CoordinatorPipes::takeLines() {
  // A server that writes without end cannot keep signals waiting; enough for all that a pipe holds.
  constexpr int kMaxReads = 128;
  std::vector<std::string> lines;
  for (int i = 0; i < kMaxReads && progress_.read; ++i) {
    const auto bytes = readSome(progress_.read);
    if (!bytes) progress_.read.reset();
    if (!bytes || bytes->empty()) break;
    for (std::string& line : progress_lines_.feed(*bytes))
      lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sumac::cli
