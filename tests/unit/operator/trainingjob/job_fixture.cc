#include "tests/unit/operator/trainingjob/job_fixture.h"

#include <algorithm>
#include <memory>
#include <variant>

#include "base/core/check.h"
#include "operator/trainingjob/state/names.h"
#include "tests/unit/operator/trainingjob/children/children_fixture.h"
#include "tests/unit/operator/trainingjob/operator_fixture.h"

namespace sumac::trainingjob {
namespace {

constexpr int kMostPasses = 50;

}  // namespace

bool hasWork(const Decision& decision) {
  return decision.status || !decision.actions.empty();
}

std::string shortName(Slot slot) {
  return std::string(toString(slot.role)) + "-" + std::to_string(slot.index);
}

JobFixture::JobFixture() : now(std::chrono::sys_days(std::chrono::year{2026} / 1 / 31)) {
  job.meta.key = {"default", "lenet5"};
  job.meta.uid = "job-uid";
  job.meta.generation = 1;
  job.worker_replicas = 2;
  job.template_hash = "templates";
  nlohmann::json manifest = aManifest("lenet5", 2, 1);
  manifest["spec"]["training"]["logicalWorkers"] = 8;
  manifest["spec"]["output"] = manifest["spec"]["checkpoint"];
  manifest["spec"]["output"]["path"] = "/output";
  record = recordOf(jobOf(manifest));
  observed.operator_version = "1.0.0";
}

Observed JobFixture::see() const {
  Observed seen = observed;
  seen.job = std::make_shared<const api::TrainingJob>(job);
  for (const api::Pod& pod : pods) {
    if (std::find(unseen.begin(), unseen.end(), pod.slot) != unseen.end()) continue;
    seen.pods.push_back(std::make_shared<const api::Pod>(pod));
  }
  for (const LookUpPod& each : looked_up) {
    const bool is_there = std::any_of(pods.begin(), pods.end(), [&](const api::Pod& pod) {
      return pod.slot == each.slot && pod.attempt == each.attempt;
    });
    if (each.attempt == job.status.attempt && !is_there) seen.gone.push_back(each.slot);
  }
  // The record stays when the spec is spoilt later.
  if (!seen.problem || seen.config_map == ChildState::kPresent) seen.record = record;
  if (status_written) seen.status_age = now - *status_written;
  return seen;
}

Decision JobFixture::look() const {
  return decide(see(), now);
}

Decision JobFixture::pass() {
  Decision result = look();
  for (const Action& action : result.actions) {
    if (const auto* creation = std::get_if<CreatePod>(&action)) create(*creation);
    if (const auto* deletion = std::get_if<DeletePod>(&action)) erase(*deletion);
    if (std::holds_alternative<LookUpJob>(action)) observed.is_newest = true;
    if (const auto* wanted = std::get_if<LookUpPod>(&action)) {
      looked_up.push_back(*wanted);
      std::erase(unseen, wanted->slot);
    }
    if (const auto* child = std::get_if<CreateChild>(&action)) {
      ++creations;
      if (child->child == Child::kService) observed.service = ChildState::kPresent;
      if (child->child == Child::kConfigMap) observed.config_map = ChildState::kPresent;
      if (child->child == Child::kSecret) observed.secret = ChildState::kPresent;
      if (child->child == Child::kReaders) observed.readers_policy = ChildState::kPresent;
      if (child->child == Child::kNetworkPolicy) observed.network_policy = ChildState::kPresent;
    }
  }
  if (result.status) {
    job.status = *result.status;
    status_written = now;
    ++status_writes;
  }
  if (result.sizing) observed.sizing = result.sizing;
  events.insert(events.end(), result.events.begin(), result.events.end());
  return result;
}

void JobFixture::settle() {
  for (int i = 0; i < kMostPasses; ++i) {
    if (!hasWork(pass())) return;
  }
  SUMAC_CHECK(false && "the decisions come to rest");
}

void JobFixture::start() {
  settle();
  makeReady();
  settle();
}

void JobFixture::create(const CreatePod& action) {
  SUMAC_CHECK(!hasPod(action.slot));
  api::Pod pod;
  pod.meta.key = {"default", podName("lenet5", action.slot)};
  pod.meta.uid = "pod-" + std::to_string(next_uid++);
  pod.meta.controller_uid = job.meta.uid;
  pod.meta.created = now;
  pod.slot = action.slot;
  pod.attempt = action.attempt;
  pod.is_ours = true;
  pods.push_back(pod);
  ++creations;
  created.push_back(shortName(action.slot) + "/" + std::to_string(action.attempt));
}

void JobFixture::erase(const DeletePod& action) {
  deleted.push_back((action.force ? "!" : "") + action.name);
  const auto found = std::find_if(pods.begin(), pods.end(),
                                  [&](const api::Pod& pod) { return pod.meta.uid == action.uid; });
  SUMAC_CHECK(found != pods.end());
  const bool is_over =
      found->phase == api::PodPhase::kFailed || found->phase == api::PodPhase::kSucceeded;
  if (action.force || is_over) {
    pods.erase(found);
  } else {
    found->meta.deleted = now + seconds(kGraceSeconds);
    found->grace_seconds = kGraceSeconds;
  }
}

api::Pod& JobFixture::pod(Slot slot) {
  const auto found = std::find_if(pods.begin(), pods.end(),
                                  [slot](const api::Pod& each) { return each.slot == slot; });
  SUMAC_CHECK(found != pods.end());
  return *found;
}

bool JobFixture::hasPod(Slot slot) const {
  return std::any_of(pods.begin(), pods.end(),
                     [slot](const api::Pod& each) { return each.slot == slot; });
}

void JobFixture::makeReady() {
  for (std::size_t i = 0; i < pods.size(); ++i)
    makeOneReady();
}

void JobFixture::makeOneReady() {
  const auto found =
      std::find_if(pods.begin(), pods.end(), [](const api::Pod& each) { return !each.is_ready; });
  if (found == pods.end()) return;
  found->phase = api::PodPhase::kRunning;
  found->is_scheduled = true;
  found->is_running = true;
  found->is_ready = true;
  found->node = "node-1";
}

void JobFixture::end(Slot slot, int code, const std::string& message) {
  api::Pod& ended = pod(slot);
  ended.phase = code == 0 ? api::PodPhase::kSucceeded : api::PodPhase::kFailed;
  ended.is_ready = false;
  ended.is_running = false;
  ended.terminated = api::Termination{.exit_code = code,
                                      .signal = 0,
                                      .reason = code == 0 ? "Completed" : "Error",
                                      .message = message,
                                      .finished = now};
}

void JobFixture::endAll(int code) {
  const std::vector<api::Pod> all = pods;
  for (const api::Pod& each : all) {
    if (!each.terminated) end(each.slot, code);
  }
}

void JobFixture::evict(Slot slot) {
  pod(slot).disruption = "EvictionByEvictionAPI";
  end(slot, 137);
}

void JobFixture::askDeletion(Slot slot) {
  pod(slot).meta.deleted = now + seconds(kGraceSeconds);
  pod(slot).grace_seconds = kGraceSeconds;
}

void JobFixture::remove(Slot slot) {
  std::erase_if(pods, [slot](const api::Pod& each) { return each.slot == slot; });
}

void JobFixture::letGo() {
  std::erase_if(pods, [](const api::Pod& each) { return each.meta.deleted.has_value(); });
}

const api::Condition& JobFixture::condition(const std::string& type) const {
  const api::Condition* found = job.status.find(type);
  SUMAC_CHECK(found != nullptr);
  return *found;
}

bool JobFixture::hasEvent(const std::string& reason) const {
  return std::any_of(events.begin(), events.end(),
                     [&](const kube::EventNote& event) { return event.reason == reason; });
}

void JobFixture::endPods() {
  for (int wave = 0; wave < 2; ++wave) {
    settle();
    letGo();
  }
}

void JobFixture::replacePods() {
  endPods();
  settle();
}

void JobFixture::restartFully() {
  replacePods();
  makeReady();
  settle();
}

}  // namespace sumac::trainingjob
