#include "operator/trainingjob/apply/creator.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "kube/api/json.h"
#include "operator/control/failpoint.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/children/volume_mounts.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

using control::Failpoint;
using control::failpoint;
using nlohmann::json;

constexpr Duration kDeletingPause =
    std::chrono::seconds(2);  // its deletion usually wakes us earlier

Creation refusedByUs(const std::string& what, const Error& error) {
  constexpr int kInvalid = 422;
  return Creation::refused({.what = what,
                            .status = kInvalid,
                            .reason = "Invalid",
                            .message = error.message,
                            .is_quota = false});
}

Result<json> makeChild(const api::TrainingJob& job, const JobNotes& notes, Child child) {
  const JobRecord& record = *notes.record;
  switch (child) {
    case Child::kService: return makeService(job);
    case Child::kConfigMap: return makeConfigMap(job, record);
    case Child::kSecret: return makeSecret(job, record);
    case Child::kNetworkPolicy: return makeNetworkPolicy(job);
    case Child::kReaders: return makeReadersPolicy(job, notes.readers);
    case Child::kCode: break;
  }
  failCheck("a child that the operator makes", "");
}

/// Looks for the sources of a program, which only the user has.
Creation findCode(kube::Client& client, const api::ObjectMeta& job) {
  const std::string name = childName(job.key.name, job.uid, Child::kCode);
  const std::string what = kindAndName(kube::kConfigMaps, name);
  const kube::Reply reply = client.get(kube::kConfigMaps, {job.key.name_space, name});
  if (reply || !reply.failure->isNotFound()) return judgeExisting(what, job.uid, reply);
  return Creation::absent(
      {.what = what,
       .status = reply.failure->status,
       .reason = reply.failure->reason,
       .message = what + " with the sources of spec.program.code is missing: `sumac submit` with "
                         "the job's document and the same --code puts it there, if the sources "
                         "are the same",
       .is_absent = true});
}

}  // namespace

std::string Creator::nameOf(const CreatePod& pod) const {
  return kindAndName(kube::kPods, podName(pass_.job.meta.key.name, pod.slot));
}

/// False while the create is held back.
bool Creator::mayTry(const std::string& what) {
  pass_.wanted.insert(what);
  return !pass_.notes.isHeld(what, pass_.parts.clock.now());
}

void Creator::evaluate(const std::string& what, const Creation& creation) {
  const TimePoint now = pass_.parts.clock.now();
  if (creation.outcome != Created::kFailed) pass_.notes.failing.erase(what);
  switch (creation.outcome) {
    case Created::kMade: pass_.notes.holds.erase(what); return;
    case Created::kDeleting: pass_.notes.hold(what, now, kDeletingPause); return;
    case Created::kForeign:
      pass_.notes.hold(what, now, kRefusedPause).is_foreign = true;
      pass_.result.was_refused = true;
      return;
    case Created::kUnread: pass_.result.is_outdated = true; return;
    case Created::kAbsent: return awaitOther(what, *creation.refusal);
    case Created::kRefused:
      pass_.notes.hold(what, now, kRefusedPause).refusal = creation.refusal;
      pass_.result.was_refused = true;
      return;
    case Created::kFailed:
      // Without an answer nothing was sent: the pass is over.
      if (!creation.refusal) pass_.result.has_failed = true;
      if (creation.refusal) pass_.noteFailure(what, *creation.refusal);
  }
}

/// What another makes may come at any moment, at first.
void Creator::awaitOther(const std::string& what, const Refusal& absence) {
  constexpr Duration kFirst = std::chrono::milliseconds(500);
  const TimePoint now = pass_.parts.clock.now();
  Hold& hold = pass_.notes.hold(what, now, kFirst);
  hold.pause = std::min(hold.pause, kRefusedPause);
  hold.until = now + hold.pause;
  hold.refusal = absence;
  pass_.result.was_refused = true;
}

void Creator::createInParallel(const std::vector<Child>& children) {
  std::vector<Creation> creations(children.size());  // each written by one task
  std::vector<Executor::Task> tasks;
  for (std::size_t i = 0; i < children.size(); ++i)
    tasks.emplace_back([&, i] { creations[i] = createChild(children[i]); });
  pass_.parts.executor.runAll(tasks);
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (creations[i].outcome == Created::kUnread && !hasNextSecret()) {
      creations[i] = Creation::foreign();  // all names are taken
    }
    adoptChild(children[i], creations[i]);
    evaluate(kindAndName(pass_.job, children[i]), creations[i]);
  }
}

/// The ConfigMap is created last: if it exists, all children do. So a new operator needs only one
/// GET to know.
bool Creator::createChildren(const std::vector<CreateChild>& wanted) {
  std::vector<Child> first;
  bool wants_config_map = false;
  for (const CreateChild& action : wanted) {
    if (!mayTry(kindAndName(pass_.job, action.child))) continue;
    if (action.child == Child::kConfigMap) {
      wants_config_map = true;
    } else {
      first.push_back(action.child);
    }
  }
  if (!first.empty() || wants_config_map) failpoint(Failpoint::kBeforeChildCreate);
  createInParallel(first);
  if (wants_config_map && hasOtherChildren() && !pass_.isOver()) {
    createInParallel({Child::kConfigMap});
  }
  return hasOtherChildren() && pass_.notes.stateOf(Child::kConfigMap) == ChildState::kPresent &&
         !pass_.isOver();
}

/// Whether all children but the ConfigMap exist.
bool Creator::hasOtherChildren() const {
  const auto exists = [this](Child child) {
    return std::as_const(pass_.notes).stateOf(child) == ChildState::kPresent;
  };
  const bool needs_secret = pass_.notes.record && hasSecret(*pass_.notes.record);
  const bool needs_readers = !pass_.notes.readers.areNone();
  const bool needs_code = pass_.notes.record && hasCode(*pass_.notes.record);
  return exists(Child::kService) && exists(Child::kNetworkPolicy) &&
         (!needs_readers || exists(Child::kReaders)) && (!needs_code || exists(Child::kCode)) &&
         (!needs_secret || exists(Child::kSecret));
}

Creation Creator::createChild(Child child) const {
  if (pass_.mustNotSend()) return {};
  if (child == Child::kCode) return findCode(pass_.parts.client, pass_.job.meta);
  SUMAC_CHECK(pass_.notes.record.has_value());
  const auto object = makeChild(pass_.job, pass_.notes, child);
  if (!object) return refusedByUs(kindAndName(pass_.job, child), object.error());
  const bool is_secret = child == Child::kSecret;  // we may not read Secrets
  const bool may_exist = std::as_const(pass_.notes).stateOf(child) == ChildState::kUnknown;
  Creation creation = createObject(
      pass_.parts.client,
      {resourceOf(child), *object, pass_.job.meta.uid, !is_secret, !is_secret && may_exist});
  failpoint(Failpoint::kAfterChildCreate);
  // The ConfigMap was created after the Secret, so it stands for it: a full quota, which refuses to
  // create what exists too, must not stop a restart.
  const bool may_be_there = creation.outcome == Created::kUnread ||
                            (creation.outcome == Created::kRefused && creation.refusal->is_quota);
  if (is_secret && pass_.notes.is_pinned && may_be_there) return Creation::made(nullptr);
  return creation;
}

bool Creator::hasNextSecret() const {
  return pass_.notes.record->secret_number + 1 < kMostSecrets;
}

/// Without a ConfigMap of ours nobody knows whose Secret has the name: it may have been put there
/// for the job to use, or be ours, with keys for another number of slots.
void Creator::tryNextSecret() {
  ++pass_.notes.record->secret_number;
}

void Creator::adoptChild(Child child, const Creation& creation) {
  ChildState& state = pass_.notes.stateOf(child);
  if (creation.outcome == Created::kDeleting) state = ChildState::kDeleting;
  if (creation.outcome == Created::kForeign) state = ChildState::kForeign;
  if (creation.outcome == Created::kAbsent) state = ChildState::kMissing;
  if (creation.outcome == Created::kUnread) tryNextSecret();
  if (creation.outcome != Created::kMade) return;
  state = ChildState::kPresent;
  if (child == Child::kConfigMap && creation.live) adoptRecord(*creation.live);
}

/// An earlier operator may have created the ConfigMap, from another spec or with other defaults:
/// its record is the job's, and this decision was made from another one.
void Creator::adoptRecord(const json& config_map) {
  const auto data = config_map.find("data");
  auto record = recordFromData(data == config_map.end() ? json() : *data);
  if (record) {
    pass_.result.is_outdated = pass_.notes.record != *record;
    pass_.notes.record = *std::move(record);
    pass_.notes.is_pinned = true;
    return;
  }
  pass_.notes.stateOf(Child::kConfigMap) = ChildState::kMissing;
  pass_.result.has_failed = true;
  pass_.parts.log.warn("ConfigMap cannot be read",
                       {{"job", pass_.job.meta.key.text()}, {"error", record.error().message}});
}

void Creator::createPods(const std::vector<CreatePod>& wanted) {
  std::vector<CreatePod> pods;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(pods),
               [&](const CreatePod& pod) { return mayTry(nameOf(pod)); });
  if (pods.empty() || !learnVolumes(pods)) return;
  failpoint(Failpoint::kBeforePodCreate);
  std::vector<Creation> creations(pods.size());  // each written by one task
  std::vector<Executor::Task> tasks;
  for (std::size_t i = 0; i < pods.size(); ++i)
    tasks.emplace_back([&, i] { creations[i] = createPod(pods[i]); });
  pass_.parts.executor.runAll(tasks);
  failpoint(Failpoint::kAfterPodCreates);
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const Creation& creation = creations[i];
    evaluate(nameOf(pods[i]), creation);
    if (creation.outcome == Created::kMade && creation.live) rememberPod(*creation.live);
  }
}

/// A claim that one node alone can mount is worker 0's, where others may write in its place or
/// train on without. Of one that is not there yet, or that we may not read, the pods tell by
/// themselves. Returns whether all is known.
bool Creator::learnVolumes(std::vector<CreatePod>& pods) {
  const auto mayGoWithout = [](const CreatePod& pod) {
    return pod.slot.role == Role::kWorker && pod.slot.index != 0;
  };
  const JobRecord& record = *pass_.notes.record;
  if (!record.changes_members || std::ranges::none_of(pods, mayGoWithout)) return true;
  std::set<std::string> elsewhere;
  for (const std::string& name : claimsWrittenTo(*record.document)) {
    const std::string what = kindAndName(kube::kVolumeClaims, name);
    if (!mayTry(what)) return false;
    if (pass_.mustNotSend()) {
      pass_.result.has_failed = true;
      return false;
    }
    const kube::Reply reply =
        pass_.parts.client.get(kube::kVolumeClaims, {pass_.job.meta.key.name_space, name});
    if (!reply && !reply.failure->isNotFound() && !reply.failure->isForbidden()) {
      pass_.noteFailure(what, refusalOf(what, *reply.failure));
      return false;
    }
    pass_.notes.noteAnswer(what);
    if (reply && isForOneNode(*reply.object)) elsewhere.insert(name);
  }
  for (CreatePod& pod : pods) {
    if (mayGoWithout(pod)) pod.elsewhere = elsewhere;
  }
  return true;
}

void Creator::rememberPod(const json& live) {
  const auto pod = api::podFromJson(live);
  if (!pod) return;  // createPod() has read it; the watch will show it anyway
  pass_.notes.new_pods.push_back(
      {std::make_shared<const api::Pod>(*pod), pass_.parts.clock.now() + kUnseenPod});
}

Creation Creator::createPod(const CreatePod& pod) const {
  if (pass_.mustNotSend()) return {};
  SUMAC_CHECK(pass_.notes.record.has_value());
  const std::string what = nameOf(pod);
  const auto object = makePod(pass_.job, *pass_.notes.record, pod);
  if (!object) return refusedByUs(what, object.error());
  Creation creation = createObject(pass_.parts.client, {kube::kPods, *object, pass_.job.meta.uid});
  failpoint(Failpoint::kAfterPodCreate);
  if (creation.outcome != Created::kMade || !creation.live) return creation;
  const auto live = api::podFromJson(*creation.live);
  if (!live) return Creation::failed({.what = what, .reason = "", .message = live.error().message});
  // Ours, of an earlier attempt: the cache no longer shows it, or does not yet.
  if (live->is_ours && live->attempt < pod.attempt) return Creation::deleting();
  if (!live->is_ours || live->attempt != pod.attempt || live->slot != pod.slot) {
    return Creation::foreign();
  }
  return creation;
}

void Creator::forgetOldHolds() {
  const TimePoint now = pass_.parts.clock.now();
  const auto is_unwanted = [&](const std::string& what) { return !pass_.wanted.contains(what); };
  std::erase_if(pass_.notes.holds, [&](const auto& entry) {
    return now >= entry.second.until && is_unwanted(entry.first);
  });
  std::erase_if(pass_.notes.failing, [&](const auto& entry) { return is_unwanted(entry.first); });
}

}  // namespace sumac::trainingjob
