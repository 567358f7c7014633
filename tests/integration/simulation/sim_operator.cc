#include "tests/integration/simulation/sim_operator.h"

#include <algorithm>
#include <stdexcept>

#include "operator/trainingjob/state/names.h"

namespace sumac {

using std::chrono::milliseconds;
using trainingjob::ChildState;

namespace {

constexpr Duration kLooksEvery = milliseconds(250);
constexpr Duration kPodStart = milliseconds(400);
constexpr Duration kGrace = std::chrono::seconds(30);
constexpr int kMostPasses = 50;
constexpr int kEnoughFailures = 100;  // in a row: none of these jobs is to end for that
constexpr const char* kResult =
    R"({"state":"Succeeded","steps":40,"loss":"0.31","testAccuracy":"0.88"})";
const WallTime kBegin = std::chrono::sys_days(std::chrono::year{2026} / 1 / 31);

}  // namespace

SimOperator::SimOperator(const SimOptions& options, SimJob& job)
    : job_(job), network_(job.network()), steps_(options.steps), slot0_(simCoordinator(options)) {
  training_job_.meta.key = {"default", "lenet5"};
  training_job_.meta.uid = "job-uid";
  training_job_.meta.generation = 1;
  training_job_.template_hash = "templates";
  training_job_.worker_replicas = options.workers;
  training_job_.min_replicas = 1;
  training_job_.max_replicas = options.most->workers;
  training_job_.run_policy.backoff_limit = kEnoughFailures;
  trainingjob::JobRecord record;
  record.logical_workers = options.parts;
  record.servers = options.servers;
  record.changes_members = true;
  record.checkpoint_path = record.output_path = "/checkpoints";
  record.keeps_checkpoints = record.keeps_output = true;
  observed_.record = record;
  observed_.operator_version = "1.0.0";
  observed_.is_newest = true;
  observed_.service = observed_.config_map = observed_.secret = ChildState::kPresent;
  observed_.network_policy = observed_.readers_policy = ChildState::kPresent;
}

WallTime SimOperator::wallTime() const {
  const auto since = network_.now() - TimePoint{};
  return kBegin + std::chrono::floor<std::chrono::seconds>(since);
}

void SimOperator::start() {
  tick();
  network_.after(kLooksEvery, [this] { start(); });
}

void SimOperator::scaleTo(int workers) {
  training_job_.worker_replicas = workers;
  ++training_job_.meta.generation;
}

void SimOperator::evict(Slot slot) {
  for (const auto& pod : pods_) {
    if (pod->seen.slot == slot && !pod->seen.terminated) askToEnd(*pod);
  }
}

std::vector<Slot> SimOperator::running() const {
  std::vector<Slot> slots;
  for (const auto& pod : pods_) {
    if (pod->seen.is_running && !pod->seen.meta.deleted) slots.push_back(pod->seen.slot);
  }
  return slots;
}

bool SimOperator::isOver() const {
  return status().isFinished() &&
         std::ranges::none_of(pods_, [](const auto& pod) { return pod->seen.is_running; });
}

void SimOperator::tick() {
  for (const auto& pod : pods_)
    look(*pod);
  std::erase_if(pods_, [](const auto& pod) {
    const bool is_over = pod->seen.terminated || !pod->process;
    return pod->seen.meta.deleted && is_over;
  });
  for (int i = 0; i < kMostPasses; ++i) {
    if (!pass()) return;
  }
  throw std::logic_error("the operator's decisions do not come to rest");
}

/// What has become of its process.
void SimOperator::look(Pod& pod) {
  api::Pod& seen = pod.seen;
  if (seen.terminated) return;
  if (!pod.process) {
    if (network_.now() < pod.starts_at || seen.meta.deleted) return;
    pod.process = job_.startProcess(seen.slot, pod.workers);
    seen.phase = api::PodPhase::kRunning;
    seen.is_scheduled = seen.is_running = true;
    seen.node = "node-1";
    return;
  }
  if (pod.killed_at && network_.now() >= *pod.killed_at) job_.kill(*pod.process);
  if (!network_.isDead(*pod.process)) {
    seen.is_ready = true;
    return;
  }
  const auto end = job_.endOf(*pod.process);
  const int code = end ? toInt(end->code) : 137;
  seen.phase = code == 0 ? api::PodPhase::kSucceeded : api::PodPhase::kFailed;
  seen.is_ready = seen.is_running = false;
  seen.terminated = api::Termination{.exit_code = code,
                                     .signal = 0,
                                     .reason = code == 0 ? "Completed" : "Error",
                                     .message = code == 0 ? kResult
                                                : end     ? end->reason
                                                          : "",
                                     .finished = wallTime()};
}

/// Of the workers that run, as slot 0 would say if it was asked; 0: it cannot be.
Step SimOperator::toldStep() const {
  Step newest = 0;
  bool answers = false;
  for (const auto& pod : pods_) {
    if (!pod->seen.is_running || pod->seen.attempt != status().attempt) continue;
    answers = answers || pod->seen.slot == slot0_;
    if (pod->seen.slot.role == Role::kWorker)
      newest = std::max(newest, job_.lastStep(pod->seen.slot.index));
  }
  return answers ? newest : 0;
}

/// Returns whether there was something to do.
bool SimOperator::pass() {
  trainingjob::Observed seen = observed_;
  seen.job = std::make_shared<const api::TrainingJob>(training_job_);
  for (const auto& pod : pods_)
    seen.pods.push_back(std::make_shared<const api::Pod>(pod->seen));
  if (const Step step = toldStep(); step > 0) {
    seen.progress.emplace();
    seen.progress->step = step;
    seen.progress->total_steps = steps_;
  }
  const trainingjob::Decision decision = decide(seen, wallTime());
  for (const trainingjob::Action& action : decision.actions) {
    if (const auto* creation = std::get_if<trainingjob::CreatePod>(&action)) create(*creation);
    if (const auto* deletion = std::get_if<trainingjob::DeletePod>(&action)) erase(*deletion);
    // What was asked for is not there: what is seen is never old.
    if (const auto* wanted = std::get_if<trainingjob::LookUpPod>(&action))
      observed_.gone.push_back(wanted->slot);
  }
  if (decision.status) {
    if (decision.status->attempt != status().attempt) observed_.gone.clear();
    training_job_.status = *decision.status;
  }
  return decision.status || !decision.actions.empty();
}

void SimOperator::create(const trainingjob::CreatePod& action) {
  std::erase(observed_.gone, action.slot);
  auto pod = std::make_unique<Pod>();
  pod->seen.meta.key = {"default", trainingjob::podName("lenet5", action.slot)};
  pod->seen.meta.uid = "pod-" + std::to_string(++uids_);
  pod->seen.meta.controller_uid = training_job_.meta.uid;
  pod->seen.slot = action.slot;
  pod->workers = action.workers;
  pod->seen.attempt = action.attempt;
  pod->seen.is_ours = true;
  pod->starts_at = network_.now() + kPodStart;
  pods_.push_back(std::move(pod));
}

void SimOperator::erase(const trainingjob::DeletePod& action) {
  const auto found = std::ranges::find_if(
      pods_, [&](const auto& pod) { return pod->seen.meta.uid == action.uid; });
  if (found == pods_.end()) throw std::logic_error("a pod is deleted that is not there");
  if (!(*found)->process || (*found)->seen.terminated) {
    pods_.erase(found);
  } else {
    askToEnd(**found);
  }
}

void SimOperator::askToEnd(Pod& pod) {
  if (!pod.seen.meta.deleted) pod.seen.meta.deleted = wallTime() + std::chrono::seconds(30);
  pod.seen.grace_seconds = 30;
  if (!pod.process || std::exchange(pod.is_told, true)) return;
  pod.killed_at = network_.now() + kGrace;
  job_.watch().disturb();
  job_.watch().onLeaving(*pod.process);
  network_.after(*pod.process, Duration{}, [this, slot = pod.seen.slot] { job_.leave(slot); });
}

}  // namespace sumac
