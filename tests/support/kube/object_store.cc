#include "tests/support/kube/object_store.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace sumac::fake {
namespace {

using nlohmann::json;

constexpr const char* kTime = "2026-01-31T12:00:00Z";

std::vector<std::string> cut(const std::string& text, char at) {
  std::vector<std::string> pieces;
  std::stringstream stream(text);
  for (std::string piece; std::getline(stream, piece, at);) {
    if (!piece.empty()) pieces.push_back(piece);
  }
  return pieces;
}

std::string textAt(const json& object, const std::string& path) {
  const json* at = &object;
  for (const auto& name : cut(path, '.')) {
    if (!at->is_object() || !at->contains(name)) return "";
    at = &(*at)[name];
  }
  return at->is_string() ? at->get<std::string>() : "";
}

bool hasStatusOfItsOwn(const Target& target) {
  return target.plural == "trainingjobs" || target.plural == "pods";
}

std::string nameOf(const Target& target) {
  return target.plural + " \"" + target.name + "\"";
}

}  // namespace

std::optional<Target> Target::fromPath(const std::string& path) {
  auto pieces = cut(path, '/');
  if (pieces.empty()) return std::nullopt;
  const bool is_core = pieces[0] == "api";
  const std::size_t used = is_core ? 2 : 3;
  if ((!is_core && pieces[0] != "apis") || pieces.size() <= used) return std::nullopt;
  Target target;
  target.group_version = is_core ? pieces[1] : pieces[1] + "/" + pieces[2];
  pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(used));
  if (pieces[0] == "namespaces" && pieces.size() > 2) {
    target.name_space = pieces[1];
    pieces.erase(pieces.begin(), pieces.begin() + 2);
  }
  target.plural = pieces[0];
  if (pieces.size() > 1) target.name = pieces[1];
  if (pieces.size() > 2) target.subresource = pieces[2];
  return target;
}

Answer failure(int status, const std::string& reason, const std::string& message) {
  return {status,
          {{"kind", "Status"},
           {"apiVersion", "v1"},
           {"status", "Failure"},
           {"code", status},
           {"reason", reason},
           {"message", message}}};
}

Answer busy(int status, int retry_after_seconds) {
  Answer answer = failure(status, status == 429 ? "TooManyRequests" : "ServiceUnavailable",
                          "please try again later");
  answer.body["details"] = {{"retryAfterSeconds", retry_after_seconds}};
  answer.headers.emplace_back("Retry-After", std::to_string(retry_after_seconds));
  return answer;
}

bool Selection::matches(const json& object) const {
  const json labels_of = object.value("/metadata/labels"_json_pointer, json::object());
  for (const auto& term : cut(labels, ',')) {
    const std::size_t equals = term.find('=');
    const std::string name = term.substr(0, equals);
    if (!labels_of.contains(name)) return false;
    if (equals != std::string::npos && labels_of[name] != term.substr(equals + 1)) return false;
  }
  for (const auto& term : cut(fields, ',')) {
    const std::size_t equals = term.find('=');
    if (textAt(object, term.substr(0, equals)) != term.substr(equals + 1)) return false;
  }
  return true;
}

ObjectStore::Id ObjectStore::idOf(const Target& target) {
  return target.group_version + "/" + target.plural + "/" + target.name_space + "/" + target.name;
}

const json* ObjectStore::find(const Target& target) const {
  const auto found = objects_.find(idOf(target));
  return found == objects_.end() ? nullptr : &found->second.second;
}

Answer ObjectStore::put(const Target& target, json object) {
  Change change{++version_, target, nullptr, nullptr};
  if (const json* old = find(target)) change.before = *old;
  object["metadata"]["resourceVersion"] = std::to_string(version_);
  change.after = object;
  Target kept = target;
  kept.subresource.clear();
  objects_[idOf(target)] = {kept, object};
  history_.push_back(std::move(change));
  changed_.notify_all();
  return {200, std::move(object)};
}

json ObjectStore::erase(const Target& target) {
  json last = *find(target);
  objects_.erase(idOf(target));
  Change change{++version_, target, last, nullptr};
  last["metadata"]["resourceVersion"] = std::to_string(version_);
  change.before = last;
  history_.push_back(std::move(change));
  changed_.notify_all();
  return last;
}

Answer ObjectStore::create(const Target& at, json object) {
  if (at.subresource == "eviction") {
    Target pod = at;
    pod.subresource.clear();
    Answer evicted = remove(pod, object.value("deleteOptions", json::object()));
    if (evicted.status == 200) evicted.status = 201;
    return evicted;
  }
  const std::lock_guard lock(mutex_);
  Target target = at;
  target.name = textAt(object, "metadata.name");
  if (target.name.empty()) return failure(422, "Invalid", "metadata.name: Required value");
  if (find(target) != nullptr) {
    return failure(409, "AlreadyExists", nameOf(target) + " already exists");
  }
  if (hasStatusOfItsOwn(target) && object.contains("status")) object.erase("status");
  json& metadata = object["metadata"];
  if (!target.name_space.empty()) metadata["namespace"] = target.name_space;
  metadata["uid"] = "uid-" + std::to_string(++uids_);
  metadata["creationTimestamp"] = kTime;
  metadata["generation"] = 1;
  Answer answer = put(target, std::move(object));
  answer.status = 201;
  return answer;
}

Answer ObjectStore::get(const Target& target) const {
  const std::lock_guard lock(mutex_);
  const json* object = find(target);
  if (object == nullptr) return failure(404, "NotFound", nameOf(target) + " not found");
  return {200, *object};
}

Answer ObjectStore::list(const Target& target, const Selection& selection, int limit,
                         const std::string& token) const {
  const std::lock_guard lock(mutex_);
  // A token is "<version of the list>:<first id of the page>".
  const std::size_t colon = token.find(':');
  const std::uint64_t version = token.empty() ? version_ : std::stoull(token.substr(0, colon));
  if (version < compacted_) {
    return failure(410, "Expired", "The provided continue parameter is too old");
  }
  json list = {{"kind", "List"}, {"apiVersion", target.group_version}, {"items", json::array()}};
  json& metadata = list["metadata"] = {{"resourceVersion", std::to_string(version)}};
  for (auto at = objects_.lower_bound(token.empty() ? "" : token.substr(colon + 1));
       at != objects_.end(); ++at) {
    const auto& [where, object] = at->second;
    if (where.group_version != target.group_version || where.plural != target.plural) continue;
    if (!target.name_space.empty() && where.name_space != target.name_space) continue;
    if (!selection.matches(object)) continue;
    if (limit > 0 && list["items"].size() == static_cast<std::size_t>(limit)) {
      metadata["continue"] = std::to_string(version) + ":" + at->first;
      break;
    }
    list["items"].push_back(object);
  }
  return {200, std::move(list)};
}

Answer ObjectStore::update(const Target& target, const json& old, json object) {
  const std::string version = textAt(object, "metadata.resourceVersion");
  const std::string uid = textAt(object, "metadata.uid");
  if (!version.empty() && version != textAt(old, "metadata.resourceVersion")) {
    return failure(409, "Conflict",
                   nameOf(target) +
                       ": the object has been modified; please apply your changes to "
                       "the latest version and try again");
  }
  if (!uid.empty() && uid != textAt(old, "metadata.uid")) {
    return failure(409, "Conflict", nameOf(target) + ": the UID in the precondition is another");
  }
  json updated = old;
  if (target.subresource == "status") {
    updated["status"] = object.value("status", json::object());
  } else {
    updated = std::move(object);
    if (hasStatusOfItsOwn(target)) {
      updated.erase("status");
      if (old.contains("status")) updated["status"] = old["status"];
    }
    for (const char* kept : {"uid", "creationTimestamp", "generation", "namespace", "name",
                             "deletionTimestamp", "deletionGracePeriodSeconds"}) {
      updated["metadata"].erase(kept);
      if (old["metadata"].contains(kept)) updated["metadata"][kept] = old["metadata"][kept];
    }
    if (updated.value("spec", json()) != old.value("spec", json())) {
      updated["metadata"]["generation"] = old["metadata"].value("generation", 1) + 1;
    }
  }
  updated["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"];
  if (updated == old) return {200, old};  // nothing changed, no new version
  const bool is_gone = updated["metadata"].contains("deletionTimestamp") &&
                       updated["metadata"].value("finalizers", json::array()).empty() &&
                       target.plural != "pods";
  Answer answer = put(target, std::move(updated));
  if (is_gone) erase(target);
  return answer;
}

Answer ObjectStore::replace(const Target& target, json object) {
  const std::lock_guard lock(mutex_);
  const json* old = find(target);
  if (old == nullptr) return failure(404, "NotFound", nameOf(target) + " not found");
  return update(target, json(*old), std::move(object));
}

Answer ObjectStore::mergePatch(const Target& target, const json& patch) {
  const std::lock_guard lock(mutex_);
  const json* old = find(target);
  if (old == nullptr) return failure(404, "NotFound", nameOf(target) + " not found");
  json patched = *old;
  // Without one of its own, a patch fits any version.
  patched["metadata"].erase("resourceVersion");
  patched.merge_patch(patch);
  return update(target, json(*old), std::move(patched));
}

Answer ObjectStore::remove(const Target& target, const json& options) {
  const std::lock_guard lock(mutex_);
  const json* object = find(target);
  if (object == nullptr) return failure(404, "NotFound", nameOf(target) + " not found");
  const std::string uid = textAt(options, "preconditions.uid");
  if (!uid.empty() && uid != textAt(*object, "metadata.uid")) {
    return failure(409, "Conflict",
                   nameOf(target) + ": Precondition failed: UID in precondition: " + uid +
                       ", UID in object meta: " + textAt(*object, "metadata.uid"));
  }
  const bool has_finalizers =
      !object->value("/metadata/finalizers"_json_pointer, json::array()).empty();
  const json grace = options.value("gracePeriodSeconds", json());
  const bool lingers = target.plural == "pods" && pods_linger_ && grace != 0;
  if (!has_finalizers && !lingers) return {200, erase(target)};
  json changed = *object;
  changed["metadata"]["deletionTimestamp"] = kTime;
  changed["metadata"]["deletionGracePeriodSeconds"] = grace.is_number() ? grace : json(30);
  return put(target, std::move(changed));
}

std::string ObjectStore::lineOf(const Change& change, const Target& target,
                                const Selection& selection) const {
  if (change.before.is_null() && change.after.is_null()) {
    return json{{"type", "BOOKMARK"},
                {"object",
                 {{"apiVersion", target.group_version},
                  {"metadata", {{"resourceVersion", std::to_string(change.version)}}}}}}
        .dump();
  }
  if (change.target.group_version != target.group_version ||
      change.target.plural != target.plural ||
      (!target.name_space.empty() && change.target.name_space != target.name_space)) {
    return "";
  }
  const bool was = !change.before.is_null() && selection.matches(change.before);
  const bool is = !change.after.is_null() && selection.matches(change.after);
  if (!was && !is) return "";
  json event = {{"type", !was ? "ADDED"
                         : is ? "MODIFIED"
                              : "DELETED"},
                {"object", is ? change.after : change.before}};
  event["object"]["metadata"]["resourceVersion"] = std::to_string(change.version);
  return event.dump();
}

std::vector<std::string> ObjectStore::eventsAfter(std::uint64_t& version, const Target& target,
                                                  const Selection& selection,
                                                  const std::function<bool()>& is_over) const {
  std::unique_lock lock(mutex_);
  std::vector<std::string> lines;
  while (lines.empty() && !is_over()) {
    auto change = std::upper_bound(
        history_.begin(), history_.end(), version,
        [](std::uint64_t seen, const Change& later) { return seen < later.version; });
    for (; change != history_.end(); ++change) {
      version = change->version;
      std::string line = lineOf(*change, target, selection);
      if (!line.empty()) lines.push_back(std::move(line));
    }
    if (lines.empty()) changed_.wait(lock);
  }
  return lines;
}

bool ObjectStore::isExpired(std::uint64_t version) const {
  const std::lock_guard lock(mutex_);
  return version < compacted_;
}

void ObjectStore::wake() const {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

bool ObjectStore::edit(const Target& target, const std::function<void(json&)>& change) {
  const std::lock_guard lock(mutex_);
  const json* old = find(target);
  if (old == nullptr) return false;
  json object = *old;
  change(object);
  put(target, std::move(object));
  return true;
}

bool ObjectStore::finish(const Target& target) {
  const std::lock_guard lock(mutex_);
  if (find(target) == nullptr) return false;
  erase(target);
  return true;
}

void ObjectStore::letPodsLinger(bool linger) {
  const std::lock_guard lock(mutex_);
  pods_linger_ = linger;
}

void ObjectStore::collectGarbage() {
  const std::lock_guard lock(mutex_);
  bool removed = true;
  while (removed) {
    removed = false;
    std::vector<std::string> uids;
    for (const auto& [id, entry] : objects_)
      uids.push_back(textAt(entry.second, "metadata.uid"));
    for (const auto& [id, entry] : objects_) {
      const json owners =
          entry.second.value("/metadata/ownerReferences"_json_pointer, json::array());
      const bool is_orphan =
          !owners.empty() && std::none_of(owners.begin(), owners.end(), [&](const json& owner) {
            return std::find(uids.begin(), uids.end(), owner.value("uid", "")) != uids.end();
          });
      if (!is_orphan) continue;
      erase(Target(entry.first));
      removed = true;
      break;
    }
  }
}

void ObjectStore::bookmark() {
  const std::lock_guard lock(mutex_);
  history_.push_back({++version_, {}, nullptr, nullptr});
  changed_.notify_all();
}

void ObjectStore::compact() {
  const std::lock_guard lock(mutex_);
  compacted_ = ++version_;
  history_.clear();
}

std::vector<json> ObjectStore::all(const std::string& plural) const {
  const std::lock_guard lock(mutex_);
  std::vector<json> found;
  for (const auto& [id, entry] : objects_) {
    if (entry.first.plural == plural) found.push_back(entry.second);
  }
  return found;
}

std::uint64_t ObjectStore::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

}  // namespace sumac::fake
