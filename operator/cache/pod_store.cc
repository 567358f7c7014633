#include "operator/cache/pod_store.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/process/memory.h"
#include "kube/api/json.h"
#include "operator/cache/raw_object.h"

namespace sumac::cache {
namespace {

bool isSameState(const api::Pod& a, const api::Pod& b) {
  return a.meta.uid == b.meta.uid && a.meta.resource_version == b.meta.resource_version;
}

PodOwner ownerOf(const api::Pod& pod) {
  return {pod.meta.key.name_space, pod.meta.controller_uid};
}

}  // namespace

std::vector<std::shared_ptr<const api::Pod>> PodStore::ownedBy(const PodOwner& owner) const {
  const MutexLock lock(mutex_);
  const auto found = by_owner_.find(owner);
  if (found == by_owner_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::shared_ptr<const api::Pod> PodStore::find(const api::ObjectKey& key) const {
  const MutexLock lock(mutex_);
  const auto found = pods_.find(key);
  return found == pods_.end() ? nullptr : *found;
}

std::size_t PodStore::size() const {
  const MutexLock lock(mutex_);
  return pods_.size();
}

PodStore::Pod PodStore::read(const nlohmann::json& object) {
  auto pod = api::podFromJson(object);
  if (!pod) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    log_.warn("a pod cannot be read and is skipped",
              {{"object", keyOfRaw(object).text()}, {"error", pod.error().message}});
    return nullptr;
  }
  std::erase_if(pod->meta.labels, [&](const auto& label) { return label.first != kept_label_; });
  return std::make_shared<const api::Pod>(*std::move(pod));
}

PodStore::Pod PodStore::take(const api::ObjectKey& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return nullptr;
  Pod old = *found;
  pods_.erase(found);
  const auto owner = by_owner_.find(ownerOf(*old));
  owner->second.erase(old);
  if (owner->second.empty()) by_owner_.erase(owner);
  return old;
}

PodStore::Pod PodStore::put(const Pod& pod) {
  Pod old = take(pod->meta.key);
  pods_.insert(pod);
  by_owner_[ownerOf(*pod)].insert(pod);
  return old;
}

bool PodStore::haveSameJob(const api::Pod& a, const api::Pod& b) const {
  return a.meta.controller_uid == b.meta.controller_uid && a.meta.labels == b.meta.labels;
}

void PodStore::report(const Pod& old, const Pod& now) const {
  if (old && now && isSameState(*old, *now)) return;
  if (old && (!now || !haveSameJob(*old, *now))) changed_(*old);
  if (now) changed_(*now);
}

void PodStore::replaceBegin() {
  list_.emplace();
}

void PodStore::upsert(const nlohmann::json& object) {
  const Pod pod = read(object);
  if (list_) {
    if (pod) {
      const Pod known = find(pod->meta.key);  // true of most pods of a second list: keep one copy
      list_->insert(known && isSameState(*known, *pod) ? known : pod);
    }
    return;
  }
  Pod old;
  {
    const MutexLock lock(mutex_);
    old = pod ? put(pod) : take(keyOfRaw(object));
  }
  report(old, pod);
}

void PodStore::replaceEnd() {
  if (!list_) return;
  const Pods listed = *std::exchange(list_, std::nullopt);
  std::map<PodOwner, Pods> owners;
  for (const Pod& pod : listed)
    owners[ownerOf(*pod)].insert(pod);
  Pods before = listed;
  {
    const MutexLock lock(mutex_);
    by_owner_ = std::move(owners);
    pods_.swap(before);
  }
  for (const Pod& old : before) {
    if (!listed.contains(old)) report(old, nullptr);
  }
  for (const Pod& now : listed) {
    const auto old = before.find(now);
    report(old == before.end() ? nullptr : *old, now);
  }
  before.clear();
  returnFreedMemory();  // the list's text was many times as large as the pods that are kept
}

void PodStore::remove(const nlohmann::json& last_state) {
  Pod old;
  {
    const MutexLock lock(mutex_);
    old = take(keyOfRaw(last_state));
  }
  report(old, nullptr);
}

}  // namespace sumac::cache
