#include "tests/unit/operator/trainingjob/simulated_cluster.h"

#include <algorithm>
#include <memory>
#include <variant>

#include "base/core/check.h"
#include "kube/api/json.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/state/names.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob {
namespace {

constexpr int kQuietSteps = 400;

api::TrainingJob read(const nlohmann::json& manifest) {
  auto job = api::jobFromJson(manifest);
  SUMAC_CHECK(job.has_value());
  return *std::move(job);
}

nlohmann::json autoscaling() {
  return {{"policy", "throughput"}, {"stabilizationSeconds", 10}};
}

}  // namespace

std::vector<std::shared_ptr<const api::Pod>> SeenPods::ownedBy(const cache::PodOwner&) const {
  std::vector<std::shared_ptr<const api::Pod>> all;
  for (const auto& [name, pod] : pods)
    all.push_back(std::make_shared<const api::Pod>(pod));
  return all;
}

SimulatedCluster::SimulatedCluster(const SimulatedJob& kind)
    : kind_(kind),
      manifest_(kind.changes_members ? anElasticManifest("j", 2, kind.servers)
                                     : aManifest("j", 2, kind.servers)),
      now_(std::chrono::sys_days(std::chrono::year{2026} / 1 / 1)),
      observe_{.client = children_,
               .pods = cache_,
               .quotas = quotas_,
               .clock = clock_,
               .progress = progress_,
               .running_jobs = [] { return 1; },
               .defaults = {},
               .status_rate = 50,
               .operator_version = "1.0.0"},
      apply_{.client = children_,
             .jobs = children_.jobs,
             .events = told_,
             .clock = clock_,
             .executor = executor_,
             .log = Log::toStderr(LogLevel::kError)} {
  manifest_["metadata"]["uid"] = "uid";
  manifest_["spec"]["runPolicy"]["backoffLimit"] = 1;
  if (kind.is_elastic) manifest_["spec"]["worker"].update({{"minReplicas", 1}, {"maxReplicas", 4}});
  if (kind.is_elastic && kind.sizes_itself) manifest_["spec"]["autoscaling"] = autoscaling();
  manifest_["metadata"]["resourceVersion"] = "0";
  jobs_.push_back(read(manifest_));
}

void SimulatedCluster::advance(int time) {
  now_ += seconds(time);
  clock_.advance(seconds(time));
  for (int i = 0; i < static_cast<int>(pods_.size()); ++i) {  // kubelets end what is overdue
    const api::Pod* pod = pick(i);
    if (isAlive(*pod) && pod->meta.deleted && *pod->meta.deleted <= now_) endPod(i);
  }
}

void SimulatedCluster::deliverJob() {
  job_seen_ = jobs_.size() - 1;
}

void SimulatedCluster::deliverPods(int count) {
  for (; count > 0 && events_seen_ < events_.size(); --count) {
    const Event& event = events_[events_seen_++];
    if (!event.pod) {
      cache_.pods.erase(event.name);
    } else {
      cache_.pods[event.name] = *event.pod;
    }
  }
  if (kind_.reads_quotas) quotas_.give("few", quota_, static_cast<int>(pods_.size()));
}

Observed SimulatedCluster::observe() {
  const auto job = std::make_shared<const api::TrainingJob>(jobs_[job_seen_]);
  SUMAC_CHECK(loadRecord(observe_, *job, notes_).has_value());
  checkRecord();
  showProgress(job->status);
  return trainingjob::observe(observe_, job, notes_);
}

/// What slot 0 tells.
void SimulatedCluster::showProgress(const api::JobStatus& status) {
  progress_.progress.reset();
  const auto leader = pods_.find(podName("j", slot0()));
  if (leader == pods_.end() || !isAlive(leader->second) || isLost(leader->second) ||
      leader->second.attempt != status.attempt)
    return;
  Progress& progress = progress_.progress.emplace();
  progress.step = steps_;
  progress.total_steps = kind_.sizes_itself ? 1'000'000 : 1000;
  if (!kind_.sizes_itself) return;
  progress.gradient_seconds = compute_seconds_;
  progress.sum_wait_seconds = exchange_seconds_;
  progress.update_seconds = progress.data_wait_seconds = 0;
  const auto term = static_cast<std::uint32_t>(std::stoi(leader->second.meta.uid)) + 1;
  const int workers = livingWorkers();
  if (roster_.term != term) {
    roster_ = {};
    roster_.term = term;
    roster_.generation = 1;
    roster_.workers = workers;
  }
  if (roster_.workers != workers) {
    ++roster_.generation;
    ++roster_.changes;
    roster_.workers = workers;
  }
  progress_.membership = roster_;
}

void SimulatedCluster::pass(Cut cut, int action) {
  if (job_seen_ < job_needed_) return;  // the own write is not seen yet
  const Observed seen = observe();
  const Decision result = decide(seen, now_);
  if (cut == Cut::kBeforeActions) return restartOperator();
  std::vector<Action> begun = result.actions;
  if (cut == Cut::kInTheMiddle) {
    begun.resize(std::min(static_cast<std::size_t>(action), begun.size()), DeleteJob{});
  }
  const bool goes_on = act(begun);
  if (cut == Cut::kInTheMiddle || cut == Cut::kBeforeStatus) return restartOperator();
  forgetHolds(result.actions);
  const bool is_written = goes_on && result.status && put(*result.status);
  if (is_written) job_needed_ = jobs_.size() - 1;
  if (result.sizing && (is_written || !result.status)) notes_.sizing = result.sizing;
  if (cut == Cut::kAfterStatus) restartOperator();
}

void SimulatedCluster::restartOperator() {
  deliverJob();
  deliverPods(static_cast<int>(events_.size()));
  job_needed_ = 0;
  notes_ = {};
}

void SimulatedCluster::takeOver(int lag) {
  deliverJob();
  const std::size_t now = events_.size() - std::min(events_.size(), static_cast<std::size_t>(lag));
  cache_.pods.clear();
  events_seen_ = 0;
  deliverPods(static_cast<int>(now));
  job_needed_ = 0;
  notes_ = {};
}

bool SimulatedCluster::act(const std::vector<Action>& actions) {
  Decision children;
  bool goes_on = true;
  for (const Action& action : actions) {
    if (std::holds_alternative<CreateChild>(action)) children.actions.push_back(action);
    if (std::holds_alternative<LookUpJob>(action)) {
      deliverJob();
      notes_.newest_version = jobs_.back().meta.resource_version;
      goes_on = false;
    }
    if (const auto* wanted = std::get_if<LookUpPod>(&action)) {
      lookUp(*wanted);
      goes_on = false;
    }
  }
  if (!children.actions.empty() && !createChildren(children)) return false;
  for (const Action& action : actions) {
    if (const auto* creation = std::get_if<CreatePod>(&action)) create(*creation);
    if (const auto* deletion = std::get_if<DeletePod>(&action)) erase(*deletion);
  }
  return goes_on;
}

bool SimulatedCluster::createChildren(const Decision& children) {
  SUMAC_CHECK(!status().isFinished());
  const Applied applied =
      trainingjob::apply(apply_, std::stop_token(), notes_, jobs_[job_seen_], children);
  SUMAC_CHECK(!applied.has_failed && !applied.was_refused);
  checkRecord();
  return !applied.is_outdated;
}

void SimulatedCluster::lookUp(const LookUpPod& wanted) {
  const auto found = pods_.find(podName("j", wanted.slot));
  const bool is_there = found != pods_.end() && found->second.attempt == wanted.attempt;
  notes_.noteLookUp(wanted.slot, wanted.attempt,
                    is_there ? std::make_shared<const api::Pod>(found->second) : nullptr,
                    clock_.now());
}

void SimulatedCluster::create(const CreatePod& creation) {
  const api::TrainingJob& job = jobs_.back();
  SUMAC_CHECK(!job.status.isFinished(), "no pod is made for a finished job");
  SUMAC_CHECK(!jobs_[job_seen_].suspend, "no pod is made for a suspended job");
  SUMAC_CHECK(!job.status.isTrue("Suspended"), "no pod is made while Suspended is True");
  SUMAC_CHECK(job.status.recovery.not_before.value_or(now_) <= now_, "no pod is made in a pause");
  SUMAC_CHECK(creation.attempt == job.status.attempt, creation.attempt, job.status.attempt);
  SUMAC_CHECK(creation.workers == job.status.worker.desired);
  SUMAC_CHECK(creation.slot.role == Role::kServer || creation.slot.index < creation.workers);
  SUMAC_CHECK(notes_.is_pinned, "no pod is made before the record is written");
  SUMAC_CHECK(!parts_ || creation.workers <= *parts_, "no worker is without a part");
  const std::string name = podName("j", creation.slot);
  const auto cached = cache_.pods.find(name);
  SUMAC_CHECK(cached == cache_.pods.end(), "no pod is made where one is known to be", name);
  if (const auto taken = pods_.find(name); taken != pods_.end()) {  // 409
    if (taken->second.attempt == creation.attempt) lookUp({creation.slot, creation.attempt});
    return;
  }
  if (isRefused(name)) return;
  api::Pod pod;
  pod.meta.key = {"default", name};
  pod.meta.created = now_;
  pod.meta.uid = std::to_string(next_uid_++);
  pod.slot = creation.slot;
  pod.attempt = creation.attempt;
  pod.is_ours = true;
  pods_[name] = pod;
  publish(name);
  lookUp({creation.slot, creation.attempt});
}

/// By the quota, now or lately.
bool SimulatedCluster::isRefused(const std::string& pod) {
  const std::string what = kindAndName(kube::kPods, pod);
  if (notes_.isHeld(what, clock_.now())) return true;
  if (static_cast<int>(pods_.size()) < quota_) {
    notes_.noteAnswer(what);
    return false;
  }
  notes_.hold(what, clock_.now(), kRefusedPause).refusal =
      Refusal{.what = what,
              .status = 403,
              .reason = "Forbidden",
              .message = "exceeded quota: few, requested: pods=1, used: pods=9, limited: pods=9",
              .is_quota = true};
  return true;
}

/// Of pods that are not wanted any more.
void SimulatedCluster::forgetHolds(const std::vector<Action>& actions) {
  std::set<std::string> wanted;
  for (const Action& action : actions) {
    if (const auto* creation = std::get_if<CreatePod>(&action))
      wanted.insert(kindAndName(kube::kPods, podName("j", creation->slot)));
  }
  std::erase_if(notes_.holds, [&](const auto& entry) {
    return clock_.now() >= entry.second.until && !wanted.contains(entry.first);
  });
}

void SimulatedCluster::erase(const DeletePod& deletion) {
  const auto found = pods_.find(deletion.name);
  if (found == pods_.end() || found->second.meta.uid != deletion.uid) return;  // 404, 409
  api::Pod& pod = found->second;
  if (pod.slot == slot0() && !pod.terminated && !deletion.force) {
    for (const auto& [name, other] : cache_.pods)
      SUMAC_CHECK(other.slot == slot0() || other.terminated || other.attempt != pod.attempt,
                  "slot 0 goes last", name);
  }
  notes_.deleting_uids.push_back(deletion.uid);
  if (!status().isFinished()) notes_.doubtChildren();
  const bool is_over = pod.terminated.has_value();
  if (deletion.force)
    SUMAC_CHECK(isLost(pod) || pod.terminated, "only pods of lost nodes are forced", deletion.name);
  if (deletion.force || is_over || !pod.is_running) {
    pods_.erase(found);
  } else if (!pod.meta.deleted) {
    pod.meta.deleted = now_ + std::chrono::seconds(kGraceSeconds);
    pod.grace_seconds = kGraceSeconds;
  }
  publish(deletion.name);
}

bool SimulatedCluster::put(const api::JobStatus& status) {
  if (job_seen_ != jobs_.size() - 1) return false;  // 409
  api::TrainingJob job = jobs_.back();
  checkWrite(job.status, status);
  if (status.attempt != job.status.attempt) notes_.forgetPodHolds();
  job.status = status;
  job.meta.resource_version = std::to_string(jobs_.size());
  jobs_.push_back(job);
  ++writes_;
  return true;
}

void SimulatedCluster::publish(const std::string& name) {
  const auto found = pods_.find(name);
  events_.push_back({name, found == pods_.end() ? std::nullopt : std::optional(found->second)});
}

void SimulatedCluster::edit() {
  api::TrainingJob job = read(manifest_);
  job.meta.generation = jobs_.back().meta.generation + 1;
  job.status = jobs_.back().status;
  job.meta.resource_version = std::to_string(jobs_.size());
  jobs_.push_back(job);
}

void SimulatedCluster::setSuspend(bool suspend) {
  if (jobs_.back().suspend == suspend) return;
  manifest_["spec"]["suspend"] = suspend;
  edit();
}

void SimulatedCluster::setReplicas(int replicas) {
  const api::TrainingJob& job = jobs_.back();
  // What the rules of the CRD allow.
  if (job.autoscaling || job.worker_replicas == replicas || (!kind_.is_elastic && !job.suspend))
    return;
  if (kind_.is_elastic && replicas > *job.max_replicas) return;
  manifest_["spec"]["worker"]["replicas"] = replicas;
  edit();
}

void SimulatedCluster::setAutoscaling(bool is_on) {
  if (!kind_.is_elastic || !kind_.sizes_itself || jobs_.back().autoscaling.has_value() == is_on)
    return;
  if (is_on) {
    manifest_["spec"]["autoscaling"] = autoscaling();
  } else {
    manifest_["spec"].erase("autoscaling");
  }
  edit();
}

void SimulatedCluster::growInVain() {
  if (!kind_.is_elastic || !status().isTrue("Running")) return;
  room_ = status().worker.desired + kind_.servers;
  setReplicas(*jobs_.back().max_replicas);
}

void SimulatedCluster::deletePod(int which) {
  api::Pod* pod = pick(which);
  if (pod == nullptr || pod->meta.deleted) return;
  const std::string name = pod->meta.key.name;
  if (isAlive(*pod)) {
    noteInjection(*pod, &Injected::disruption);
    pod->meta.deleted = now_ + std::chrono::seconds(kGraceSeconds);
    pod->grace_seconds = kGraceSeconds;
  } else {
    injected_[pod->attempt].disruption = true;
    pods_.erase(name);
  }
  publish(name);
}

void SimulatedCluster::deleteChild(int which) {
  const Child child = kAllChildren.at(static_cast<std::size_t>(which) % kAllChildren.size());
  const std::string name = childName("j", "uid", child);
  if (!children_.has(resourceOf(child), name)) return;
  children_.erase(resourceOf(child), name);
  if (child == Child::kConfigMap) parts_.reset();
}

bool SimulatedCluster::step() {
  const std::size_t jobs = jobs_.size() - courses_;
  const std::size_t events = events_.size();
  deliverJob();
  deliverPods(static_cast<int>(events_.size()));
  pass(Cut::kNever, 0);
  kubelets();
  advance(20);
  return jobs != jobs_.size() - courses_ || events != events_.size();
}

/// Whether the others train on while this pod waits for a node.
bool SimulatedCluster::waitsForRoom(const api::Pod& pod) const {
  return kind_.changes_members && !pod.is_scheduled && trainsOn(pod);
}

void SimulatedCluster::converge() {
  makeRoom();
  constexpr int kQuietInARow = 18;  // six minutes: longer than any pause or window
  int quiet = 0;
  for (int i = 0; i < kQuietSteps && quiet < kQuietInARow; ++i)
    quiet = step() ? 0 : quiet + 1;
  SUMAC_CHECK(quiet == kQuietInARow, "the job comes to rest", status().state);
  const Decision rest = decide(observe(), now_);
  std::string said;
  for (const auto& event : rest.events)
    said += event.reason + ": " + event.message + "\n";
  const bool is_at_rest = !rest.status || isCourseAlone(status(), *rest.status);
  SUMAC_CHECK(rest.actions.empty() && is_at_rest && rest.events.empty(), rest.actions.size(), said,
              rest.status ? rest.status->find("Running")->message : std::string(),
              status().find("Running")->message);
  const api::JobStatus& end = status();
  SUMAC_CHECK(end.isFinished() || end.isTrue("Suspended") || end.isTrue("Running"), end.state);
  SUMAC_CHECK(end.isFinished() || end.isTrue("Suspended") == jobs_.back().suspend);
  if (end.isTrue("Suspended")) SUMAC_CHECK(pods_.empty());
  if (end.isFinished() || end.isTrue("Suspended")) return;
  const auto& slots = end.recovery.replacements;
  const auto refused = std::count_if(slots.begin(), slots.end(),
                                     [](const api::Replacement& each) { return each.is_refused; });
  SUMAC_CHECK(static_cast<int>(pods_.size()) == end.worker.desired + kind_.servers - refused);
  for (const auto& [name, pod] : pods_)
    SUMAC_CHECK(pod.attempt == end.attempt && (isAlive(pod) || waitsForRoom(pod)), name);
}

}  // namespace sumac::trainingjob
