#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace sumac::fake {

/// Where a request goes: "/apis/sumac.dev/v1alpha1/namespaces/ns/trainingjobs/name/status".
struct Target {
  std::string group_version;
  std::string plural;
  std::string name_space;  // empty: all, or a resource without namespaces
  std::string name;
  std::string subresource;

  /// Nothing where the path is none of the API's.
  static std::optional<Target> fromPath(const std::string& path);
};

struct Answer {
  int status = 200;
  nlohmann::json body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// A Status object as the API server sends with a failure.
Answer failure(int status, const std::string& reason, const std::string& message);
/// The same with the wait that the server asks for, in the header and in the body.
Answer busy(int status, int retry_after_seconds);

struct Selection {
  std::string labels;  // "a=b,c": equality and existence only
  std::string fields;  // "metadata.name=x" and the like

  bool matches(const nlohmann::json& object) const;
};

/// What an API server keeps: objects with resourceVersion, uid and generation, and the history
/// that watches read. Knows conflicts, preconditions, the status subresource, finalizers, pods that
/// take time to end, compaction. No admission: what is written is kept. Safe from any thread.
class ObjectStore {
 public:
  /// Of a pod's subresource `eviction`: removes the pod.
  Answer create(const Target& target, nlohmann::json object);
  Answer get(const Target& target) const;
  Answer list(const Target& target, const Selection& selection, int limit,
              const std::string& token) const;
  Answer replace(const Target& target, nlohmann::json object);
  Answer mergePatch(const Target& target, const nlohmann::json& patch);
  Answer remove(const Target& target, const nlohmann::json& options);

  /// Events after `version` that the watch shows, as lines; `version` moves on. Waits until there
  /// is one or `is_over` returns true, which is asked again after each wake().
  std::vector<std::string> eventsAfter(std::uint64_t& version, const Target& target,
                                       const Selection& selection,
                                       const std::function<bool()>& is_over) const;
  /// Whether a watch from here can see all that came since.
  bool isExpired(std::uint64_t version) const;
  void wake() const;

  // What tests do behind the API's back.
  /// Edits an object, as a controller or kubelet would; a new version. False: no such object.
  bool edit(const Target& target, const std::function<void(nlohmann::json&)>& change);
  /// Takes an object away for good, whatever finalizers it has.
  bool finish(const Target& target);
  /// Pods that are deleted stay, with deletionTimestamp, until finish() or a grace of 0.
  void letPodsLinger(bool linger);
  /// Deletes what belongs to objects that are gone, as the garbage collector does.
  void collectGarbage();
  void bookmark();
  /// Forgets history: watches and pages from before are 410.
  void compact();
  std::vector<nlohmann::json> all(const std::string& plural) const;
  std::uint64_t version() const;

 private:
  struct Change {
    std::uint64_t version = 0;
    Target target;
    nlohmann::json before;  // null: was not there
    nlohmann::json after;   // null: is not there any more; both null: bookmark
  };
  using Id = std::string;  // group_version/plural/namespace/name

  static Id idOf(const Target& target);
  const nlohmann::json* find(const Target& target) const;
  Answer put(const Target& target, nlohmann::json object);
  Answer update(const Target& target, const nlohmann::json& old, nlohmann::json object);
  nlohmann::json erase(const Target& target);
  std::string lineOf(const Change& change, const Target& target, const Selection& selection) const;

  mutable std::mutex mutex_;  // guards all below
  mutable std::condition_variable changed_;
  std::map<Id, std::pair<Target, nlohmann::json>> objects_;
  std::vector<Change> history_;
  std::uint64_t version_ = 1000;
  std::uint64_t compacted_ = 0;
  std::uint64_t uids_ = 0;
  bool pods_linger_ = false;
};

}  // namespace sumac::fake
