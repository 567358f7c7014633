#include "planner/advice/memory_needs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "exchange/membership/member_memory.h"
#include "exchange/plan/part_tree.h"
#include "job/profile/job_profile.h"

namespace sumac::planner {
namespace {

/// The engine's room for so many samples, by the two nearest measured sizes of a part: a straight
/// line through them, since it grows with the samples.
std::uint64_t engineBytes(const JobProfile& profile, double samples) {
  std::map<double, double> sizes;
  for (const BatchProfile& batch : profile.batches) {
    double& bytes = sizes[static_cast<double>(batch.samples) / batch.parts];
    bytes = std::max(bytes, static_cast<double>(batch.workspace_bytes));
  }
  if (sizes.empty()) return 0;
  auto above = sizes.lower_bound(samples);
  if (above == sizes.end()) above = std::prev(above);
  if (above == sizes.begin() && sizes.size() > 1) ++above;
  if (sizes.size() == 1)
    return static_cast<std::uint64_t>(above->second * std::max(1.0, samples / above->first));
  const auto below = std::prev(above);
  const double slope = (above->second - below->second) / (above->first - below->first);
  return static_cast<std::uint64_t>(
      std::max(0.0, below->second + std::max(0.0, slope) * (samples - below->first)));
}

/// Of the worker that evaluates and the one in the middle, which may have more parts.
std::uint64_t workerBytes(const AdviceQuestion& question, const job::TrainingJob& job,
                          const ExchangePlan& plan) {
  std::uint64_t most = 0;
  for (const int index : {0, job.worker.replicas / 2, job.worker.replicas - 1}) {
    const TreeNode block = blockOf(index, job.worker.replicas, plan.parts);
    const auto samples = static_cast<double>(samplesAtOnce(job.training, question.network, block));
    const std::uint64_t bytes = engineBytes(question.profile, samples) +
                                workerBuffers(job, question.network, plan, index).total();
    most = std::max(most, bytes);
  }
  return most;
}

/// A quarter beyond the computed lower bound, for buffers of libraries and of the system.
std::int64_t withHeadroom(std::uint64_t bytes) {
  constexpr double kHeadroom = 1.25;
  constexpr double kMebibyte = 1024.0 * 1024;
  return std::llround(std::ceil(kHeadroom * static_cast<double>(bytes) / kMebibyte) * kMebibyte);
}

/// By the limit of the job's own pods, where the other one is kept and this one is lower.
void limitWorkers(std::int64_t bytes, MemberMemory& memory) {
  if (!memory.fits() || bytes >= memory.limit_bytes.value_or(bytes + 1)) return;
  memory.limit_bytes = bytes;
  memory.is_workers_limit = true;
}

}  // namespace

MemberMemory memberMemory(const AdviceQuestion& question, const job::TrainingJob& job,
                          const ExchangePlan& plan) {
  MemberMemory memory;
  const auto data = static_cast<std::uint64_t>(question.data_bytes.value_or(0));
  memory.worker_bytes = withHeadroom(workerBytes(question, job, plan) + data);
  if (job.strategy.hasServers()) memory.server_bytes = withHeadroom(serverMemory(job, plan));
  if (question.place == Placement::kHere)
    memory.all_bytes =
        job.worker.replicas * memory.worker_bytes + job.server.replicas * memory.server_bytes;
  if (question.member_bytes) {
    memory.limit_bytes = static_cast<std::int64_t>(question.member_bytes->value);
  } else if (question.machine && question.machine->memory_bytes) {
    memory.limit_bytes = static_cast<std::int64_t>(question.machine->memory_bytes->value);
  }
  if (question.worker_bytes && question.place == Placement::kMachines)
    limitWorkers(static_cast<std::int64_t>(question.worker_bytes->value), memory);
  return memory;
}

std::optional<TooFewWorkers> tooFewWorkers(const AdviceQuestion& question, const JobChoice& choice,
                                           std::int64_t limit) {
  job::TrainingJob job = withChoice(question.job, choice);
  if (!job.canChangeMembers()) return std::nullopt;
  const ExchangePlan plan = planOf(question, choice);
  while (--job.worker.replicas > 0) {
    const auto bytes = static_cast<std::int64_t>(workerBytes(question, job, plan)) +
                       question.data_bytes.value_or(0);
    if (bytes > limit) return TooFewWorkers{job.worker.replicas, bytes};
  }
  return std::nullopt;
}

std::optional<Note> fewWorkersNote(const AdviceQuestion& question, const JobChoice& choice,
                                   std::int64_t limit) {
  const auto too_few = tooFewWorkers(question, choice, limit);
  if (!too_few) return std::nullopt;
  return Note{.kind = NoteKind::kFewWorkers,
              .amount = static_cast<double>(too_few->workers + 1),
              .other = static_cast<double>(too_few->bytes),
              .limit = static_cast<double>(limit)};
}

}  // namespace sumac::planner
