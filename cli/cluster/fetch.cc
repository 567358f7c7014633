#include "cli/cluster/fetch.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/cluster/failure_text.h"
#include "kube/api/json.h"
#include "kube/api/labels.h"

namespace sumac::cli {

namespace {

Error refusal(const kube::Failure& failure, const Asked& asked, const Cluster& cluster) {
  const auto code = failure.isNotFound() ? ErrorCode::kNotFound : ErrorCode::kUnavailable;
  return Error{code, inWords(failure, asked, cluster.server)};
}

}  // namespace

Result<FetchedJob> readJob(std::shared_ptr<const nlohmann::json> object) {
  auto job = api::jobFromJson(*object);
  if (!job) return job.error();
  return FetchedJob{std::move(object), *std::move(job)};
}

Result<FetchedJob> fetchJob(const Cluster& cluster, const std::string& name) {
  if (!isJobName(name)) {
    return Error{
        ErrorCode::kInvalid,
        "`" + oneLine(name) + "` cannot be the name of a job: only a-z, 0-9 and - are allowed"};
  }
  const auto reply = cluster.client.get(kube::kTrainingJobs, {cluster.name_space, name});
  if (reply.failure) {
    return refusal(*reply.failure, {.verb = "get", .name_space = cluster.name_space, .name = name},
                   cluster);
  }
  return readJob(reply.object);
}

Result<std::vector<FetchedJob>> fetchJobs(const Cluster& cluster, const std::string& name_space,
                                          const std::string& selector) {
  std::vector<FetchedJob> jobs;
  kube::ListOptions options;
  options.label_selector = selector;
  const auto end = cluster.client.list(
      kube::kTrainingJobs, name_space, options,
      [&jobs](const nlohmann::json& object) {
        auto job = readJob(std::make_shared<const nlohmann::json>(object));
        if (job) jobs.push_back(*std::move(job));
      },
      [&jobs] { jobs.clear(); });
  if (end.failure) {
    return refusal(*end.failure, {.verb = "list", .name_space = name_space}, cluster);
  }
  return jobs;
}

Result<std::vector<api::Pod>> fetchPods(const Cluster& cluster, const std::string& job) {
  std::vector<api::Pod> pods;
  kube::ListOptions options;
  options.label_selector = podsOf(job);
  const auto end = cluster.client.list(
      kube::kPods, cluster.name_space, options,
      [&pods](const nlohmann::json& object) {
        auto pod = api::podFromJson(object);
        if (pod && pod->is_ours) pods.push_back(*std::move(pod));
      },
      [&pods] { pods.clear(); });
  if (end.failure) {
    return refusal(*end.failure,
                   {.verb = "list", .resource = kube::kPods, .name_space = cluster.name_space},
                   cluster);
  }
  std::sort(pods.begin(), pods.end(),
            [](const api::Pod& a, const api::Pod& b) { return a.slot < b.slot; });
  return pods;
}

std::string podsOf(const std::string& job) {
  return std::string(api::kJobLabel) + "=" + job;
}

bool isJobName(const std::string& name) {
  constexpr std::size_t kLongest = 253;
  return !name.empty() && name.size() <= kLongest && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
         });
}

std::string memberName(Slot slot) {
  return std::string(toString(slot.role)) + "-" + std::to_string(slot.index);
}

}  // namespace sumac::cli
