#include "planner/advice/explanation.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "job/profile/disturbance.h"
#include "planner/advice/advice_parts.h"
#include "planner/advice/answer.h"
#include "planner/advice/memory_needs.h"
#include "planner/advice/prepared_configurations.h"
#include "planner/autoscaling/useful_sizes.h"

namespace sumac::planner {
namespace {

/// What may miss a limit at the end of its margin, and the best configuration that keeps it there,
/// too.
void addRisk(ReasonKind kind, const std::optional<double>& most, double (*of)(const Configuration&),
             Advice& advice) {
  const auto keeps = [&](const Configuration& each) {
    return each.isPossible() && of(each) * (1 + each.margin) <= *most;
  };
  if (!most || keeps(advice.taken())) return;
  const auto safe = std::ranges::find_if(advice.configurations, keeps);
  Reason& risk = advice.reasons.emplace_back(Reason{kind});
  if (safe != advice.configurations.end())
    risk.other = static_cast<std::size_t>(safe - advice.configurations.begin());
}

void noteThreads(const AdviceQuestion& question, Advice& advice) {
  const Configuration& taken = advice.taken();
  const int by_itself = threadsByItself(question, taken.choice);
  if (taken.threads != by_itself)
    advice.notes.push_back({NoteKind::kSetThreads, static_cast<double>(taken.threads),
                            static_cast<double>(by_itself)});
}

/// Cores that are paid for and compute nothing.
void noteIdleCores(const AdviceQuestion& question, Advice& advice) {
  const double cores = coresOfMachine(question);
  const int threads = advice.taken().threads;
  if (question.place != Placement::kMachines || threads >= cores) return;
  const bool has_more = std::ranges::any_of(
      question.profile.batches, [&](const BatchProfile& batch) { return batch.threads > threads; });
  advice.notes.push_back({has_more ? NoteKind::kIdleCores : NoteKind::kUnprofiledCores,
                          static_cast<double>(threads), cores});
}

/// The job's own limits.cpu beside what was profiled.
void noteLimit(const AdviceQuestion& question, Advice& advice) {
  if (!question.worker_cores || question.place != Placement::kMachines) return;
  if (question.job.training.threads > 0) return;
  const double limit = *question.worker_cores;
  const int threads = std::max(1, static_cast<int>(std::floor(limit)));
  if (std::ranges::count(question.profile.batches, threads, &BatchProfile::threads) == 0) {
    advice.notes.push_back({NoteKind::kUnprofiledLimit, limit});
  } else if (limit < 1) {
    advice.notes.push_back({NoteKind::kSlowLimit, limit});
  }
}

void noteLinks(const AdviceQuestion& question, Advice& advice) {
  if (question.place != Placement::kMachines) return;
  const bool has_rate = question.link_bytes_per_second ||
                        (question.machine && question.machine->link_bytes_per_second);
  const bool has_latency = latencyOf(question) != nullptr;
  if (has_rate && has_latency) return;
  advice.notes.push_back({has_rate      ? NoteKind::kLoopbackLatency
                          : has_latency ? NoteKind::kLoopbackRate
                                        : NoteKind::kLoopbackLinks});
}

void noteWhatIsNotKnown(const AdviceQuestion& question, Advice& advice) {
  const auto& machine = question.machine;
  noteLinks(question, advice);
  if (machine) advice.notes.push_back({NoteKind::kComputingAsProfiled});
  // Nobody computes faster than the peak: then the type is slower than the profiled machine.
  if (machine && machine->operations_per_second &&
      advice.profiled_operations > machine->operations_per_second->value)
    advice.notes.push_back(
        {NoteKind::kAbovePeak, advice.profiled_operations, machine->operations_per_second->value});
  if (!question.noise) advice.notes.push_back({NoteKind::kOneMiniBatch});
  if (!question.member_bytes && !question.worker_bytes && !(machine && machine->memory_bytes))
    advice.notes.push_back({NoteKind::kNoMemory});
}

/// Workers of the job as written that make no step faster.
void noteSameSpeed(const AdviceQuestion& question, Advice& advice) {
  if (question.job.autoscaling) return;
  const int workers = question.job.worker.replicas;
  const int fewer = autoscaling::smallestAsFast(question.job.training.logical_workers, workers);
  if (fewer < workers)
    advice.notes.push_back(
        {NoteKind::kSameSpeed, static_cast<double>(workers), static_cast<double>(fewer)});
}

/// The numbers of workers that a job which sizes itself chooses from.
void noteSizes(const AdviceQuestion& question, Advice& advice) {
  if (!question.job.autoscaling) return;
  const int least = question.job.worker.min_replicas.value_or(1);
  const int most = question.job.worker.max_replicas.value_or(least);
  std::string sizes;
  for (const int size :
       autoscaling::usefulSizes(question.job.training.logical_workers, least, most))
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  advice.notes.push_back({NoteKind::kSizesItself, static_cast<double>(least),
                          static_cast<double>(most), std::move(sizes)});
}

/// Who is left takes over what lost members leave, also beyond the limit.
void noteFewWorkers(const AdviceQuestion& question, Advice& advice) {
  const MemberMemory& memory = advice.taken().memory;
  if (!memory.limit_bytes || memory.all_bytes) return;
  if (const auto note = fewWorkersNote(question, advice.taken().choice, *memory.limit_bytes))
    advice.notes.push_back(*note);
}

void noteWhatChanges(const AdviceQuestion& question, Advice& advice) {
  const JobChoice& taken = advice.taken().choice;
  const int parts = question.job.training.logical_workers;
  if (taken.logical_workers != parts)
    advice.notes.push_back({NoteKind::kMoreParts, static_cast<double>(parts),
                            static_cast<double>(taken.logical_workers)});
  if (taken.workers > 1 && taken.method == ExchangeMethod::kRing)
    advice.notes.push_back({NoteKind::kRing});
  if (taken.codec != Codec::kFp32) advice.notes.push_back({NoteKind::kRounding});
  if (taken.batch != question.job.training.batch_size)
    advice.notes.push_back({NoteKind::kOtherMiniBatch});
}

}  // namespace

void addReasons(Advice& advice) {
  const std::size_t taken = *advice.recommended;
  advice.reasons.push_back({ReasonKind::kStep});
  if (taken > 0) {
    advice.reasons.push_back({ReasonKind::kEqualToBest, 0});
  } else if (advice.configurations.size() > 1 && advice.configurations[1].isPossible()) {
    advice.reasons.push_back({ReasonKind::kNextIsWorse, 1});
  }
  if (advice.as_written && *advice.as_written != taken)
    advice.reasons.push_back({ReasonKind::kAsWritten, advice.as_written});
  addRisk(
      ReasonKind::kMayBeLate, advice.limits.deadline_seconds,
      [](const Configuration& each) { return each.seconds; }, advice);
  addRisk(
      ReasonKind::kMayBeDear, advice.limits.budget,
      [](const Configuration& each) { return each.cost.value_or(0); }, advice);
}

void addNotes(const AdviceQuestion& question, Advice& advice) {
  advice.notes.push_back({NoteKind::kStepsAlone});
  if (!advice.as_written) advice.notes.push_back({NoteKind::kWrittenUnpredicted});
  if (std::string text = disturbanceText(question.profile); !text.empty())
    advice.notes.push_back({NoteKind::kDisturbed, 0, 0, std::move(text)});
  if (std::string text = idleThreadsText(question.profile); !text.empty())
    advice.notes.push_back({NoteKind::kIdleThreads, 0, 0, std::move(text)});
  noteSameSpeed(question, advice);
  noteSizes(question, advice);
  noteWhatIsNotKnown(question, advice);
  if (!advice.recommended) return;
  noteThreads(question, advice);
  noteIdleCores(question, advice);
  noteLimit(question, advice);
  noteFewWorkers(question, advice);
  noteWhatChanges(question, advice);
}

}  // namespace sumac::planner
