#include "cli/experiment/cluster_pods.h"

#include <chrono>
#include <set>
#include <system_error>

#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/log_choice.h"

namespace sumac::cli {
namespace {

constexpr std::chrono::seconds kLogTimeout{60};
constexpr std::chrono::seconds kEvictionTimeout{30};

}  // namespace

Result<std::string> logOfPod(const Cluster& cluster, const std::string& pod) {
  const api::ObjectKey key{cluster.name_space, pod};
  const auto response = cluster.transport.send(
      logRequest({}, key, /*follow=*/false, /*has_times=*/false, /*since=*/""), kLogTimeout,
      cluster.stop);
  if (response.status == 200) return response.body;
  const auto failure = kube::failureOf("get the log of " + key.text(), response);
  return Error{ErrorCode::kUnavailable, failure.message};
}

void keepLogs(const Cluster& cluster, const std::vector<api::Pod>& pods,
              const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  for (const api::Pod& pod : pods) {
    if (const auto log = logOfPod(cluster, pod.meta.key.name))
      (void)replaceFile(folder / (memberName(pod.slot) + ".log"), asBytes(*log));
  }
}

void addNodes(const Cluster& cluster, const std::vector<api::Pod>& pods,
              experiment::RunFigures& figures) {
  std::set<std::string> names;
  for (const api::Pod& pod : pods) {
    figures.nodes[memberName(pod.slot)] = pod.node;
    names.insert(pod.node);
  }
  // Few may read nodes: then their names are all that is known.
  for (const std::string& name : names) {
    const auto node = cluster.client.get(kube::kNodes, {"", name});
    figures.node_facts.push_back(
        experiment::nodeFactsOf(name, node ? *node.object : nlohmann::json()));
  }
}

std::optional<kube::Failure> evictPod(const Cluster& cluster, const api::ObjectMeta& pod) {
  const nlohmann::json eviction{
      {"apiVersion", "policy/v1"},
      {"kind", "Eviction"},
      {"metadata", {{"name", pod.key.name}, {"namespace", pod.key.name_space}}},
      {"deleteOptions", {{"preconditions", {{"uid", pod.uid}}}}}};
  kube::Request request;
  request.method = kube::Method::kPost;
  request.path = pathOf(kube::kPods, pod.key.name_space, pod.key.name, "eviction");
  request.body = eviction.dump();
  const auto response = cluster.transport.send(request, kEvictionTimeout, cluster.stop);
  if (response.status >= 200 && response.status < 300) return std::nullopt;
  return kube::failureOf("evict pod " + pod.key.text(), response);
}

std::string lastMessage(const std::vector<api::Pod>& pods) {
  for (const api::Pod& pod : pods) {
    if (pod.slot == Slot{Role::kWorker, 0} && pod.terminated) return pod.terminated->message;
  }
  return {};
}

}  // namespace sumac::cli
