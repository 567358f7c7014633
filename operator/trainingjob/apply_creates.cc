#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/api/json.h"
#include "operator/control/failpoint.h"
#include "operator/trainingjob/apply.h"
#include "operator/trainingjob/children/children.h"

// The creating half of Apply. Requests are sent by the executor's threads, which share nothing but
// what is const; what came of them is settled by the pass's own thread.

namespace sumac::trainingjob {
namespace {

using control::Failpoint;
using control::failpoint;
using nlohmann::json;

constexpr Duration kRefusedPause = std::chrono::seconds(10);
constexpr Duration kGoingPause = std::chrono::seconds(2);  // its deletion usually wakes us before
/// A pod that we made and that no watch showed for so long was gone before it could.
constexpr Duration kUnseenPod = std::chrono::seconds(30);

Creation refusedByUs(const std::string& what, const Error& error) {
  constexpr int kInvalid = 422;
  return Creation::refused({.what = what,
                            .status = kInvalid,
                            .reason = "Invalid",
                            .message = error.message,
                            .is_quota = false});
}

Result<json> makeChild(const api::TrainingJob& job, const JobRecord& record, Child child) {
  switch (child) {
    case Child::kService: return makeService(job);
    case Child::kConfigMap: return makeConfigMap(job, record);
    case Child::kSecret: return makeSecret(job, record);
    case Child::kNetworkPolicy: return makeNetworkPolicy(job, record);
  }
  failCheck("a known child", "");
}

}  // namespace

/// Whether to send the request now, or to leave what was refused alone for a while.
bool Apply::mayTry(const std::string& what) {
  asked_.insert(what);
  return !memory_.isHeld(what, parts_.clock.now());
}

void Apply::settle(const std::string& what, const Creation& creation) {
  const TimePoint now = parts_.clock.now();
  switch (creation.outcome) {
    case Created::kMade: memory_.holds.erase(what); return;
    case Created::kGoing: memory_.hold(what, now, kGoingPause); return;
    case Created::kForeign:
      memory_.hold(what, now, kRefusedPause).is_foreign = true;
      applied_.was_refused = true;
      return;
    case Created::kRefused:
      memory_.hold(what, now, kRefusedPause).refusal = creation.refusal;
      applied_.was_refused = true;
      return;
    case Created::kFailed:
      applied_.has_failed = true;
      if (!creation.message.empty()) {
        parts_.log.warn("not created", {{"what", what}, {"error", creation.message}});
      }
  }
}

/// The ConfigMap comes after all others: where it is, all are. So one GET tells a new operator
/// what stands.
bool Apply::createChildren(const api::TrainingJob& job, const std::vector<CreateChild>& wanted) {
  const auto create = [&](const std::vector<Child>& children) {
    std::vector<Creation> creations(children.size());  // each written by one task
    std::vector<std::function<void()>> tasks;
    for (std::size_t i = 0; i < children.size(); ++i)
      tasks.emplace_back([&, i] { creations[i] = createChild(job, children[i]); });
    executor_.runAll(tasks);
    for (std::size_t i = 0; i < children.size(); ++i)
      adoptChild(children[i], creations[i]);
    for (std::size_t i = 0; i < children.size(); ++i)
      settle(whatIs(job, children[i]), creations[i]);
  };
  std::vector<Child> first;
  bool wants_config_map = false;
  for (const CreateChild& action : wanted) {
    if (!mayTry(whatIs(job, action.child))) continue;
    if (action.child == Child::kConfigMap) {
      wants_config_map = true;
    } else {
      first.push_back(action.child);
    }
  }
  if (!first.empty() || wants_config_map) failpoint(Failpoint::kBeforeChildCreate);
  create(first);
  if (wants_config_map && hasOtherChildren() && !isOver()) create({Child::kConfigMap});
  return hasOtherChildren() && memory_.stateOf(Child::kConfigMap) == ChildState::kPresent;
}

/// All but the ConfigMap.
bool Apply::hasOtherChildren() const {
  const auto is_there = [this](Child child) {
    return memory_.children.at(static_cast<std::size_t>(child)) == ChildState::kPresent;
  };
  const bool needs_keys = memory_.record && memory_.record->is_encrypted;
  return is_there(Child::kService) && is_there(Child::kNetworkPolicy) &&
         (!needs_keys || is_there(Child::kSecret));
}

Creation Apply::createChild(const api::TrainingJob& job, Child child) const {
  if (mustNotSend()) return {};
  SUMAC_CHECK(memory_.record.has_value());
  const auto object = makeChild(job, *memory_.record, child);
  if (!object) return refusedByUs(whatIs(job, child), object.error());
  // We may not read Secrets; the name of this one has the job's uid in it.
  const bool may_read = child != Child::kSecret;
  Creation creation =
      createObject(parts_.client, {resourceOf(child), *object, job.meta.uid, may_read});
  failpoint(Failpoint::kAfterChildCreate);
  return creation;
}

void Apply::adoptChild(Child child, const Creation& creation) {
  ChildState& state = memory_.stateOf(child);
  if (creation.outcome == Created::kGoing) state = ChildState::kGoing;
  if (creation.outcome == Created::kForeign) state = ChildState::kForeign;
  if (creation.outcome != Created::kMade) return;
  state = ChildState::kPresent;
  if (child != Child::kConfigMap || !creation.live) return;
  // An operator before us may have made it, with other defaults: its record is the job's.
  const auto data = creation.live->find("data");
  auto record = recordFromData(data == creation.live->end() ? json() : *data);
  if (record) {
    memory_.record = *std::move(record);
  } else {
    state = ChildState::kMissing;
    applied_.has_failed = true;
    parts_.log.warn("ConfigMap cannot be read", {{"error", record.error().message}});
  }
}

void Apply::createPods(const api::TrainingJob& job, const std::vector<CreatePod>& wanted) {
  const auto what = [&](const CreatePod& pod) {
    return whatIs(kube::kPods, podName(job.meta.key.name, pod.slot));
  };
  std::vector<CreatePod> pods;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(pods),
               [&](const CreatePod& pod) { return mayTry(what(pod)); });
  if (pods.empty()) return;
  failpoint(Failpoint::kBeforePodCreate);
  std::vector<Creation> creations(pods.size());  // each written by one task
  std::vector<std::function<void()>> tasks;
  for (std::size_t i = 0; i < pods.size(); ++i)
    tasks.emplace_back([&, i] { creations[i] = createPod(job, pods[i]); });
  executor_.runAll(tasks);
  failpoint(Failpoint::kAfterPodCreates);
  for (std::size_t i = 0; i < pods.size(); ++i) {
    settle(what(pods[i]), creations[i]);
    if (creations[i].outcome != Created::kMade || !creations[i].live) continue;
    const auto pod = api::podFromJson(*creations[i].live);
    if (!pod) continue;  // the watch will say the same, or better
    memory_.new_pods.push_back(
        {std::make_shared<const api::Pod>(*pod), parts_.clock.now() + kUnseenPod});
  }
}

Creation Apply::createPod(const api::TrainingJob& job, const CreatePod& pod) const {
  if (mustNotSend()) return {};
  SUMAC_CHECK(memory_.record.has_value());
  const std::string what = whatIs(kube::kPods, podName(job.meta.key.name, pod.slot));
  const auto object = makePod(job, *memory_.record, pod);
  if (!object) return refusedByUs(what, object.error());
  Creation creation = createObject(parts_.client, {kube::kPods, *object, job.meta.uid});
  failpoint(Failpoint::kAfterPodCreate);
  if (creation.outcome != Created::kMade || !creation.live) return creation;
  const auto live = api::podFromJson(*creation.live);
  if (!live) return Creation::failed(live.error().message);
  // Ours of an earlier attempt: the cache did not show it any more, or not yet.
  if (live->is_ours && live->attempt < pod.attempt) return Creation::going();
  if (!live->is_ours || live->attempt != pod.attempt || live->slot != pod.slot) {
    return Creation::foreign(what + " has labels that are not ours");
  }
  return creation;
}

}  // namespace sumac::trainingjob
