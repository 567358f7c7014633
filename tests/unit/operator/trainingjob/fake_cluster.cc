#include "tests/unit/operator/trainingjob/fake_cluster.h"

#include <algorithm>
#include <utility>

#include "kube/api/labels.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {

using kube::Reply;
using nlohmann::json;

namespace {

Reply failed(kube::Failure failure) {
  return {.object = nullptr, .failure = std::move(failure)};
}

kube::Failure notFound(const std::string& name) {
  return failureOf(404, "NotFound", name + " not found");
}

}  // namespace

kube::Failure failureOf(int status, const std::string& reason, const std::string& message) {
  return {.status = status, .reason = reason, .message = message, .retry_after = {}};
}

FakeCluster::FakeCluster()
    : jobs([](const api::ObjectKey&) {}, Log::toStderr(LogLevel::kError)),
      pods(
          api::kJobLabel, [](const api::Pod&) {}, Log::toStderr(LogLevel::kError)) {
  jobs.replaceBegin();
  jobs.replaceEnd();
  pods.replaceBegin();
  pods.replaceEnd();
}

std::optional<kube::Failure> FakeCluster::refuse(const std::string& request) {
  requests_.push_back(request);
  return before ? before(request) : std::nullopt;
}

Reply FakeCluster::answer(const std::string& request, json object) {
  if (after) {
    if (auto failure = after(request)) return failed(*failure);
  }
  return {.object = std::make_shared<const json>(std::move(object)), .failure = {}};
}

void FakeCluster::store(const Id& id, json object) {
  object["metadata"]["resourceVersion"] = std::to_string(next_++);
  changes_.push_back({id.first, object, false});
  objects_[id] = std::move(object);
}

void FakeCluster::drop(const Id& id) {
  changes_.push_back({id.first, objects_.at(id), true});
  objects_.erase(id);
}

Reply FakeCluster::get(const kube::Resource& resource, const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  const std::string request = "get " + std::string(resource.plural) + "/" + key.name;
  if (auto failure = refuse(request)) return failed(*failure);
  const auto found = objects_.find({std::string(resource.plural), key.name});
  if (found == objects_.end()) return failed(notFound(key.name));
  return answer(request, found->second);
}

Reply FakeCluster::create(const kube::Resource& resource, const std::string& name_space,
                          const json& object) {
  const std::lock_guard lock(mutex_);
  const Id id{std::string(resource.plural), object["metadata"]["name"]};
  const std::string request = "create " + id.first + "/" + id.second;
  if (auto failure = refuse(request)) return failed(*failure);
  if (objects_.contains(id)) {
    return failed(failureOf(409, "AlreadyExists", id.second + " already exists"));
  }
  json made = object;
  made["metadata"]["namespace"] = name_space;
  made["metadata"]["uid"] = "uid-" + std::to_string(next_++);
  store(id, made);
  return answer(request, objects_.at(id));
}

Reply FakeCluster::replace(const kube::Resource& resource, const api::ObjectKey& key,
                           std::string_view subresource, const json& object) {
  const std::lock_guard lock(mutex_);
  const Id id{std::string(resource.plural), key.name};
  const std::string request =
      "replace " + id.first + "/" + id.second + "/" + std::string(subresource);
  if (auto failure = refuse(request)) return failed(*failure);
  const auto found = objects_.find(id);
  if (found == objects_.end()) return failed(notFound(key.name));
  const json& meta = found->second["metadata"];
  if (meta["resourceVersion"] != object["metadata"]["resourceVersion"] ||
      meta["uid"] != object["metadata"]["uid"]) {
    return failed(failureOf(409, "Conflict", "the object has been modified"));
  }
  json next = found->second;
  next["status"] = object["status"];
  store(id, next);
  return answer(request, objects_.at(id));
}

Reply FakeCluster::patch(const kube::Resource& resource, const api::ObjectKey& key,
                         std::string_view, const json&) {
  return failed(
      failureOf(405, "MethodNotAllowed", "patch " + std::string(resource.plural) + "/" + key.name));
}

Reply FakeCluster::remove(const kube::Resource& resource, const api::ObjectKey& key,
                          const kube::DeleteOptions& options) {
  const std::lock_guard lock(mutex_);
  const Id id{std::string(resource.plural), key.name};
  const std::string request = "remove " + id.first + "/" + id.second;
  if (auto failure = refuse(request)) return failed(*failure);
  const auto found = objects_.find(id);
  if (found == objects_.end()) return {.object = nullptr, .failure = {}};
  json object = found->second;
  if (!options.uid.empty() && object["metadata"]["uid"] != options.uid) {
    return failed(failureOf(409, "Conflict", "the uid in the precondition differs"));
  }
  if (resource == kube::kPods && options.grace_seconds.value_or(30) > 0) {
    object["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:30Z";
    store(id, object);
  } else {
    drop(id);
  }
  return answer(request, object);
}

kube::ListEnd FakeCluster::list(const kube::Resource&, const std::string&, const kube::ListOptions&,
                                const std::function<void(const json&)>&,
                                const std::function<void()>&) {
  return {.resource_version = "", .failure = failureOf(405, "MethodNotAllowed", "list")};
}

void FakeCluster::put(const kube::Resource& resource, json object) {
  const std::lock_guard lock(mutex_);
  json& meta = object["metadata"];
  if (!meta.contains("uid")) meta["uid"] = "uid-" + std::to_string(next_++);
  store({std::string(resource.plural), meta["name"].get<std::string>()}, object);
}

json FakeCluster::find(const kube::Resource& resource, const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find({std::string(resource.plural), name});
  return found == objects_.end() ? json() : found->second;
}

bool FakeCluster::has(const kube::Resource& resource, const std::string& name) const {
  return !find(resource, name).is_null();
}

void FakeCluster::change(const kube::Resource& resource, const std::string& name,
                         const std::function<void(json&)>& edit) {
  const std::lock_guard lock(mutex_);
  const Id id{std::string(resource.plural), name};
  json object = objects_.at(id);
  edit(object);
  store(id, object);
}

void FakeCluster::erase(const kube::Resource& resource, const std::string& name) {
  const std::lock_guard lock(mutex_);
  drop({std::string(resource.plural), name});
}

std::vector<std::string> FakeCluster::names(const kube::Resource& resource) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (const auto& [id, object] : objects_) {
    if (id.first == resource.plural) all.push_back(id.second);
  }
  return all;
}

void FakeCluster::deliver() {
  std::deque<Change> changes;
  {
    const std::lock_guard lock(mutex_);
    changes.swap(changes_);
  }
  for (const Change& change : changes) {
    kube::Sink* sink = nullptr;
    if (change.plural == kube::kPods.plural) sink = &pods;
    if (change.plural == kube::kTrainingJobs.plural) sink = &jobs;
    if (sink == nullptr) continue;
    if (change.is_gone) {
      sink->remove(change.object);
    } else {
      sink->upsert(change.object);
    }
  }
}

int FakeCluster::count(const std::string& start) const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(
      std::count_if(requests_.begin(), requests_.end(),
                    [&](const std::string& request) { return request.starts_with(start); }));
}

std::vector<std::string> FakeCluster::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void FakeCluster::forgetRequests() {
  const std::lock_guard lock(mutex_);
  requests_.clear();
}

}  // namespace sumac::trainingjob
