#include "cli/experiment/experiment_quota.h"

#include <chrono>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/cluster/failure_text.h"
#include "cli/cluster/fetch.h"
#include "kube/api/members.h"
#include "kube/client/backoff.h"

namespace sumac::cli {
namespace {

constexpr std::chrono::minutes kLongestQuotaChange{1};
constexpr std::chrono::milliseconds kBetweenQuotaLooks{200};

std::string uidIn(const nlohmann::json& object) {
  return api::textOf(api::memberOf(object, "metadata"), "uid");
}

/// Those of experiments in the cluster's namespace.
Result<std::vector<nlohmann::json>> quotasIn(const Cluster& cluster, bool is_needed) {
  std::vector<nlohmann::json> quotas;
  kube::ListOptions options;
  options.label_selector = kFolderLabel;
  const auto end = cluster.client.list(
      kube::kResourceQuotas, cluster.name_space, options,
      [&quotas](const nlohmann::json& quota) { quotas.push_back(quota); },
      [&quotas] { quotas.clear(); });
  if (!end.failure || (!is_needed && end.failure->isForbidden())) return quotas;
  return Error{
      ErrorCode::kUnavailable,
      inWords(*end.failure,
              {.verb = "list", .resource = kube::kResourceQuotas, .name_space = cluster.name_space},
              cluster.server)};
}

/// The jobs of experiments in the cluster's namespace that go on.
Result<std::vector<LivingJob>> livingJobs(const Cluster& cluster) {
  const auto jobs = fetchJobs(cluster, cluster.name_space, kFolderLabel);
  if (!jobs) return jobs.error();
  std::vector<LivingJob> living;
  for (const FetchedJob& job : *jobs) {
    const auto& labels = job.job.meta.labels;
    const auto told = [&labels](const char* label) {
      const auto found = labels.find(label);
      return found == labels.end() ? std::string() : found->second;
    };
    if (job.job.status.isFinished()) continue;
    living.push_back({job.job.meta.key.name, told(kExperimentLabel), told(kFolderLabel)});
  }
  return living;
}

}  // namespace

ExperimentQuota::ExperimentQuota(const Cluster& cluster, ExperimentMark mark, OwningJob job)
    : cluster_(cluster), mark_(std::move(mark)), job_(std::move(job)) {}

ExperimentQuota::~ExperimentQuota() {
  (void)remove();
}

Result<void> ExperimentQuota::set(int pods, const std::stop_token& stop) {
  const TimePoint until = cluster_.clock.now() + kLongestQuotaChange;
  std::string problem = "Kubernetes' controller has not taken it over: is it running?";
  bool is_written = false;
  while (!stop.stop_requested() && cluster_.clock.now() < until) {
    if (!is_written) {
      const auto failure = write(pods);
      is_written = !failure;
      if (failure && failure->isNotFound()) uid_.clear();  // somebody deleted it: once more
      if (failure && !failure->isTransient() && !failure->isNotFound()) return refused(*failure);
      if (failure) problem = oneLine(failure->message);
    }
    if (is_written && isInForce(pods)) return {};
    kube::sleepFor(kBetweenQuotaLooks, stop);
  }
  if (stop.stop_requested()) return Error{ErrorCode::kUnavailable, "stopped"};
  return Error{ErrorCode::kUnavailable, "the ResourceQuota " + key().text() +
                                            " was not in force after a minute: " + problem};
}

std::optional<kube::Failure> ExperimentQuota::write(int pods) {
  if (uid_.empty()) return create(pods);
  return cluster_.client.patch(kube::kResourceQuotas, key(), "", quotaChange(uid_, pods)).failure;
}

std::optional<kube::Failure> ExperimentQuota::create(int pods) {
  may_exist_ = true;
  auto made = cluster_.client.create(kube::kResourceQuotas, cluster_.name_space,
                                     quotaObject(mark_, job_, pods));
  if (made) {
    uid_ = uidIn(*made.object);
    return std::nullopt;
  }
  if (!made.failure->alreadyExists()) return made.failure;
  // Ours, of a creation without an answer; or somebody else's.
  const auto there = cluster_.client.get(kube::kResourceQuotas, key());
  if (!there) return there.failure;
  if (!isOf(mark_, *there.object)) {
    may_exist_ = false;
    return made.failure;
  }
  uid_ = uidIn(*there.object);
  return write(pods);
}

bool ExperimentQuota::isInForce(int pods) const {
  const auto there = cluster_.client.get(kube::kResourceQuotas, key());
  return there && cli::isInForce(*there.object, pods);
}

Error ExperimentQuota::refused(const kube::Failure& failure) const {
  if (failure.alreadyExists()) {
    return {ErrorCode::kConflict, "there is a ResourceQuota " + key().text() +
                                      " that is not of this experiment; it stays as it is: delete "
                                      "it, or name another namespace by --namespace"};
  }
  return {ErrorCode::kUnavailable, inWords(failure,
                                           {.verb = uid_.empty() ? "create" : "patch",
                                            .resource = kube::kResourceQuotas,
                                            .name_space = cluster_.name_space,
                                            .name = uid_.empty() ? "" : key().name},
                                           cluster_.server)};
}

/// Once. Returns why it may still be there; nothing: it is not.
std::optional<kube::Failure> ExperimentQuota::tryToRemove() {
  if (uid_.empty()) {
    const auto there = cluster_.client.get(kube::kResourceQuotas, key());
    if (!there && !there.failure->isNotFound()) return there.failure;
    if (!there || !isOf(mark_, *there.object)) return std::nullopt;
    uid_ = uidIn(*there.object);
  }
  kube::DeleteOptions only;
  only.uid = uid_;
  auto reply = cluster_.client.remove(kube::kResourceQuotas, key(), only);
  // A conflict: it is gone, and another one has its name.
  if (reply || reply.failure->isConflict()) return std::nullopt;
  return std::move(reply.failure);
}

std::string ExperimentQuota::remove() {
  if (!may_exist_) return {};
  const TimePoint until = cluster_.clock.now() + kLongestQuotaChange;
  auto failure = tryToRemove();
  while (failure && failure->isTransient() && cluster_.clock.now() < until &&
         kube::sleepFor(kBetweenQuotaLooks, cluster_.stop))
    failure = tryToRemove();
  may_exist_ = false;  // or the caller reports it, once
  if (!failure) return {};
  return "the ResourceQuota " + key().text() + " is still there: " + oneLine(failure->message) +
         "; `kubectl delete resourcequota " + key().name + " -n " + key().name_space +
         "` deletes it";
}

Result<void> removeLeftQuotas(const Cluster& cluster, const ExperimentMark& mine, bool is_needed,
                              std::ostream& err) {
  const auto quotas = quotasIn(cluster, is_needed);
  if (!quotas) return quotas.error();
  if (quotas->empty()) return {};
  const auto jobs = livingJobs(cluster);
  if (!jobs) return jobs.error();
  for (const FoundQuota& quota : foundQuotas(*quotas, mine, *jobs)) {
    if (quota.used_by) return Error{ErrorCode::kConflict, usedQuotaText(quota, cluster.name_space)};
    kube::DeleteOptions only;
    only.uid = quota.uid;
    const auto reply =
        cluster.client.remove(kube::kResourceQuotas, {cluster.name_space, quota.name}, only);
    if (!reply && !reply.failure->isConflict()) {
      return Error{ErrorCode::kUnavailable, inWords(*reply.failure,
                                                    {.verb = "delete",
                                                     .resource = kube::kResourceQuotas,
                                                     .name_space = cluster.name_space,
                                                     .name = quota.name},
                                                    cluster.server)};
    }
    err << "deleted the ResourceQuota " << cluster.name_space << "/" << quota.name
        << ", which an earlier experiment left"
        << (quota.experiment.empty() ? "" : ": " + quota.experiment) << std::endl;
  }
  return {};
}

}  // namespace sumac::cli
