#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "kube/client/client.h"
#include "operator/cache/job_store.h"
#include "operator/cache/pod_store.h"

namespace sumac::trainingjob {

/// A small API server in memory with a watch that delivers when the test says so. Safe from any
/// thread, as a client is.
class FakeCluster final : public kube::Client {
 public:
  FakeCluster();

  kube::Reply get(const kube::Resource& resource, const api::ObjectKey& key) override;
  kube::Reply create(const kube::Resource& resource, const std::string& name_space,
                     const nlohmann::json& object) override;
  kube::Reply replace(const kube::Resource& resource, const api::ObjectKey& key,
                      std::string_view subresource, const nlohmann::json& object) override;
  kube::Reply patch(const kube::Resource& resource, const api::ObjectKey& key,
                    std::string_view subresource, const nlohmann::json& patch) override;
  kube::Reply remove(const kube::Resource& resource, const api::ObjectKey& key,
                     const kube::DeleteOptions& options) override;
  kube::ListEnd list(const kube::Resource& resource, const std::string& name_space,
                     const kube::ListOptions& options,
                     const std::function<void(const nlohmann::json&)>& on_item,
                     const std::function<void()>& on_restart) override;

  /// Asked before each request: "create pods/lenet5-worker-0". What it gives is the answer.
  std::function<std::optional<kube::Failure>(const std::string&)> before;
  /// Asked after each request that was carried out: what it gives is the answer instead.
  std::function<std::optional<kube::Failure>(const std::string&)> after;

  /// As a user or a kubelet does it: not counted, not refused.
  void put(const kube::Resource& resource, nlohmann::json object);
  nlohmann::json find(const kube::Resource& resource, const std::string& name) const;
  bool has(const kube::Resource& resource, const std::string& name) const;
  void change(const kube::Resource& resource, const std::string& name,
              const std::function<void(nlohmann::json&)>& edit);
  /// Gone at once, whatever its grace.
  void erase(const kube::Resource& resource, const std::string& name);
  std::vector<std::string> names(const kube::Resource& resource) const;

  /// Lets the watches deliver all that happened.
  void deliver();

  /// Requests so far that start with this, "create pods/"; all of them, in order.
  int count(const std::string& start) const;
  std::vector<std::string> requests() const;
  void forgetRequests();

  cache::JobStore jobs;
  cache::PodStore pods;

 private:
  using Id = std::pair<std::string, std::string>;  // plural, name

  struct Change {
    std::string plural;
    nlohmann::json object;
    bool is_gone = false;
  };

  std::optional<kube::Failure> refuse(const std::string& request);
  kube::Reply answer(const std::string& request, nlohmann::json object);
  void store(const Id& id, nlohmann::json object);
  void drop(const Id& id);

  mutable std::mutex mutex_;  // guards all below
  std::map<Id, nlohmann::json> objects_;
  std::deque<Change> changes_;
  std::vector<std::string> requests_;
  int next_ = 1;
};

kube::Failure failureOf(int status, const std::string& reason, const std::string& message);

}  // namespace sumac::trainingjob
