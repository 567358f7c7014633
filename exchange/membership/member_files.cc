#include "exchange/membership/member_files.h"

#include <algorithm>
#include <bit>

namespace sumac {
namespace {

// Of ZeroMQ: a connection that we open has a socket, which ZeroMQ wakes by a file of its own, and a
// monitor with two more of these. One that is accepted has only its own.
constexpr std::int64_t kOpened = 4;
constexpr std::int64_t kAccepted = 1;
// Standard streams, ZeroMQ's threads, signals, the HTTP server with some connections, files of
// data, checkpoints and results, and connections that are opened again while the old ones close.
constexpr std::int64_t kProgramFiles = 32;

/// With how many of `others` a worker exchanges values, at most.
std::int64_t neighbours(const job::StrategySpec& strategy, std::int64_t others) {
  if (strategy.method == ExchangeMethod::kRing) return std::min<std::int64_t>(others, 2);
  if (strategy.method == ExchangeMethod::kHalvingDoubling)
    return std::countr_zero(std::bit_ceil(static_cast<std::uint64_t>(others) + 1));
  return others;
}

/// Of two workers the one with the lower index listens.
std::int64_t filesWithoutServers(const job::TrainingJob& job, std::int64_t index) {
  const std::int64_t others = job.worker.replicas - 1;
  const std::int64_t peers = neighbours(job.strategy, others);
  const std::int64_t opened = std::min(peers, index);
  const std::int64_t accepted = std::min(peers, others - index);
  const std::int64_t control = index == 0 ? others * kAccepted : kOpened;
  return opened * kOpened + accepted * kAccepted + control + kProgramFiles;
}

}  // namespace

std::int64_t memberFiles(const job::TrainingJob& job, Slot slot) {
  if (!job.strategy.hasServers()) return filesWithoutServers(job, slot.index);
  const std::int64_t servers = job.server.replicas;
  const std::int64_t workers = job.worker.replicas;
  if (slot.role == Role::kWorker) return (servers + 1) * kOpened + kProgramFiles;
  const bool coordinates = slot == coordinatorOf(job.server.replicas);
  const std::int64_t control = coordinates ? (workers + servers - 1) * kAccepted : kOpened;
  return workers * kAccepted + control + kProgramFiles;
}

std::int64_t mostMemberFiles(const job::TrainingJob& job) {
  std::int64_t most = 0;
  for (int index = 0; index < job.worker.replicas; ++index)
    most = std::max(most, memberFiles(job, {Role::kWorker, index}));
  for (int index = 0; job.strategy.hasServers() && index < job.server.replicas; ++index)
    most = std::max(most, memberFiles(job, {Role::kServer, index}));
  return most;
}

}  // namespace sumac
