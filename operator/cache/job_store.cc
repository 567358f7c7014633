#include "operator/cache/job_store.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/process/memory.h"
#include "kube/api/json.h"
#include "kube/api/reasons.h"
#include "operator/cache/raw_object.h"

// Threads: lists and events come from one watcher's thread, reads and overlays from reconcilers.
// Overlays: a write of ours is used until the watch delivers the same version. Versions are opaque:
// only those that we saw before the write are known to be older (superseded), and a write is known
// to be outdated only if the watch delivered its version before the overlay (delivered).

namespace sumac::cache {
namespace {

// The watch may deliver our write, and a few later ones, before we get the answer to the write.
constexpr std::size_t kDeliveredKept = 8;

PodOwner asOwner(const api::ObjectMeta& job) {
  return {job.key.name_space, job.uid};
}

bool waitsForQuota(const api::JobStatus& status) {
  const auto& autoscaling = status.autoscaling;
  if (autoscaling && autoscaling->room && !autoscaling->room->quota.empty()) return true;
  const api::Condition* const running = status.find("Running");
  return running != nullptr && running->reason == api::reasons::kQuotaExceeded;
}

}  // namespace

std::shared_ptr<const api::TrainingJob> JobStore::find(const api::ObjectKey& key) const {
  Job stored;
  {
    const MutexLock lock(mutex_);
    const auto found = jobs_.find(key);
    if (found == jobs_.end()) return nullptr;
    stored = found->second.written ? found->second.written : found->second.seen;
  }
  if (stored->document.empty()) return {stored, &stored->job};
  auto job = std::make_shared<api::TrainingJob>(stored->job);
  // Its fields are in the order of a sorted map, which pack() wrote. Parsing into one takes no
  // longer for a document of very many fields; an ordered map would compare each with all before
  // it.
  job->document = JsonTree(nlohmann::json::parse(stored->document));
  return job;
}

bool JobStore::contains(const api::ObjectKey& key) const {
  const MutexLock lock(mutex_);
  return jobs_.contains(key);
}

void JobStore::overlay(std::shared_ptr<const api::TrainingJob> written) {
  const Job stored = pack(*written);
  const MutexLock lock(mutex_);
  const auto found = jobs_.find(written->meta.key);
  if (found == jobs_.end()) return;  // deleted meanwhile
  Entry& entry = found->second;
  if (entry.seen->job.meta.uid != written->meta.uid) return;
  const auto& known = entry.delivered;
  if (std::find(known.begin(), known.end(), written->meta.resource_version) != known.end()) return;
  entry.superseded.insert(entry.seen->job.meta.resource_version);
  if (entry.written) entry.superseded.insert(entry.written->job.meta.resource_version);
  entry.written = stored;
}

std::optional<api::ObjectKey> JobStore::keyOf(const PodOwner& owner) const {
  const MutexLock lock(mutex_);
  const auto found = by_owner_.find(owner);
  return found == by_owner_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<api::ObjectKey> JobStore::waitingForQuota(const std::string& name_space) const {
  const MutexLock lock(mutex_);
  std::vector<api::ObjectKey> waiting;
  for (auto at = jobs_.lower_bound({name_space, ""});
       at != jobs_.end() && at->first.name_space == name_space; ++at) {
    const Job& newest = at->second.written ? at->second.written : at->second.seen;
    if (waitsForQuota(newest->job.status)) waiting.push_back(at->first);
  }
  return waiting;
}

std::size_t JobStore::size() const {
  const MutexLock lock(mutex_);
  return jobs_.size();
}

int JobStore::countInState(const std::string& state) const {
  const MutexLock lock(mutex_);
  const auto found = states_.find(state);
  return found == states_.end() ? 0 : found->second;
}

std::map<std::string, int> JobStore::countByState() const {
  const MutexLock lock(mutex_);
  return states_;
}

void JobStore::count(const api::TrainingJob& job, int by) {
  const auto state = states_.try_emplace(job.status.state.empty() ? "New" : job.status.state).first;
  state->second += by;
  if (state->second == 0) states_.erase(state);
}

JobStore::Job JobStore::pack(api::TrainingJob job) {
  Stored stored{std::move(job), {}};
  if (!stored.job.document->empty()) {
    stored.document = stored.job.document->dump();
    stored.job.document = {};
  }
  return std::make_shared<const Stored>(std::move(stored));
}

JobStore::Job JobStore::read(const nlohmann::json& object) {
  auto job = api::jobFromJson(object);
  if (job) {
    job->meta.labels.clear();  // nobody asks for them, and they may be many
    if (job->status.isFinished()) job->document = {};
    return pack(*std::move(job));
  }
  refused_.fetch_add(1, std::memory_order_relaxed);
  log_.warn("a job cannot be read and is skipped",
            {{"object", keyOfRaw(object).text()}, {"error", job.error().message}});
  return nullptr;
}

bool JobStore::see(const Job& job) {
  const api::ObjectMeta& meta = job->job.meta;
  Entry& entry = jobs_[meta.key];
  if (entry.seen && entry.seen->job.meta.uid != meta.uid) {
    erase(meta.key);
    return see(job);
  }
  const bool is_same = entry.seen && entry.seen->job.meta.resource_version == meta.resource_version;
  if (entry.written && entry.written->job.meta.resource_version == meta.resource_version) {
    entry.written.reset();
    entry.superseded.clear();
  }
  by_owner_[asOwner(meta)] = meta.key;
  if (entry.seen) count(entry.seen->job, -1);
  count(job->job, 1);
  entry.seen = job;
  if (!is_same) entry.delivered.push_back(meta.resource_version);
  if (entry.delivered.size() > kDeliveredKept) entry.delivered.pop_front();
  return !is_same;
}

/// A list may be older than our write (then it has a version from before the write), or newer (then
/// the watch may never deliver the version of the write).
void JobStore::keepOverlayOverList(Entry& entry, const api::TrainingJob& listed) {
  if (entry.superseded.contains(listed.meta.resource_version)) return;
  entry.written.reset();
  entry.superseded.clear();
}

bool JobStore::erase(const api::ObjectKey& key) {
  const auto found = jobs_.find(key);
  if (found == jobs_.end()) return false;
  by_owner_.erase(asOwner(found->second.seen->job.meta));
  count(found->second.seen->job, -1);
  jobs_.erase(found);
  return true;
}

void JobStore::replaceBegin() {
  list_.emplace();
}

void JobStore::upsert(const nlohmann::json& object) {
  const Job job = read(object);
  if (list_) {
    if (job) list_->insert_or_assign(job->job.meta.key, job);
    return;
  }
  const api::ObjectKey key = job ? job->job.meta.key : keyOfRaw(object);
  bool is_new = false;
  {
    const MutexLock lock(mutex_);
    is_new = job ? see(job) : erase(key);
  }
  if (is_new) changed_(key);
}

void JobStore::replaceEnd() {
  if (!list_) return;
  Keys changed;
  {
    const MutexLock lock(mutex_);
    Keys gone;
    for (const auto& [key, entry] : jobs_) {
      if (!list_->contains(key)) gone.push_back(key);
    }
    for (const api::ObjectKey& key : gone)
      erase(key);
    changed = std::move(gone);
    for (const auto& [key, job] : *list_) {
      if (const auto old = jobs_.find(key); old != jobs_.end()) {
        keepOverlayOverList(old->second, job->job);
      }
      if (see(job)) changed.push_back(key);
    }
  }
  list_.reset();
  returnFreedMemory();  // the list's text was many times as large as what is kept of it
  for (const api::ObjectKey& key : changed)
    changed_(key);
}

void JobStore::remove(const nlohmann::json& last_state) {
  const api::ObjectKey key = keyOfRaw(last_state);
  bool is_new = false;
  {
    const MutexLock lock(mutex_);
    is_new = erase(key);
  }
  if (is_new) changed_(key);
}

}  // namespace sumac::cache
