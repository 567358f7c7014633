#include "operator/cache/watched.h"

#include <utility>

#include "kube/api/labels.h"

namespace sumac::cache {
namespace {

// A healthy watcher may make no progress for six minutes while it retries a list.
constexpr auto kLongestSilence = std::chrono::minutes(10);
// The right may be given later.
constexpr auto kForbiddenPause = std::chrono::minutes(5);

control::MetricsReading::Cache readingOf(const char* resource, std::size_t objects,
                                         std::uint64_t refused, const kube::Watcher* watcher) {
  control::MetricsReading::Cache reading{resource, objects, refused, 0, 0};
  if (watcher != nullptr) {
    const kube::WatchCounts counts = watcher->counts();
    reading.watch_restarts = counts.watches > 0 ? counts.watches - 1 : 0;
    reading.relists = counts.lists > 0 ? counts.lists - 1 : 0;
  }
  return reading;
}

}  // namespace

Watched::Watched(control::BlockingQueue& queue, const Clock& clock, std::function<void()> synced,
                 const Log& log)
    : queue_(queue),
      clock_(clock),
      log_(log),
      jobs_([this](const api::ObjectKey& key) { queue_.add(key); }, log),
      pods_(
          api::kJobLabel, [this](const api::Pod& pod) { queueJobOf(pod); }, log),
      quotas_(
          [this](const std::string& name_space) {
            for (const api::ObjectKey& key : jobs_.waitingForQuota(name_space))
              queue_.add(key);
          },
          log),
      first_jobs_(jobs_, synced),
      first_pods_(pods_, std::move(synced)) {}

/// The job that controls the pod, and the job that the label names: a new job with the name of an
/// old one waits for the old one's pods to be gone.
void Watched::queueJobOf(const api::Pod& pod) {
  const auto controller = jobs_.keyOf({pod.meta.key.name_space, pod.meta.controller_uid});
  if (controller) queue_.add(*controller);
  const auto label = pod.meta.labels.find(api::kJobLabel);
  if (label == pod.meta.labels.end()) return;
  const api::ObjectKey named{pod.meta.key.name_space, label->second};
  if (named != controller && jobs_.contains(named)) queue_.add(named);
}

void Watched::start(kube::Transport& transport, kube::Client& client, const std::string& name_space,
                    std::uint64_t seed) {
  kube::WatchOptions options;
  options.name_space = name_space;
  options.resource = kube::kTrainingJobs;
  options.jitter = kube::jitterFrom(seed);
  watch_jobs_ = kube::startWatcher(transport, client, options, first_jobs_, clock_, log_);
  options.resource = kube::kPods;
  options.label_selector = api::kJobLabel;  // the label exists, with any value
  options.jitter = kube::jitterFrom(seed + 1);
  watch_pods_ = kube::startWatcher(transport, client, options, first_pods_, clock_, log_);
  options.resource = kube::kResourceQuotas;
  options.label_selector.clear();
  options.forbidden_pause = kForbiddenPause;
  options.jitter = kube::jitterFrom(seed + 2);
  watch_quotas_ = kube::startWatcher(transport, client, options, quotas_, clock_, log_);
}

void Watched::stop() {
  watch_quotas_.reset();
  watch_pods_.reset();
  watch_jobs_.reset();
}

void Watched::addTo(control::Health& health) const {
  const auto addThread = [&health](const char* name, const kube::Watcher& watcher) {
    health.addThread(
        std::string("the watch of ") + name,
        [&watcher](TimePoint now) { return now - watcher.lastAdvance(); }, kLongestSilence);
  };
  const auto addCache = [&](const char* name, const kube::Watcher& watcher) {
    addThread(name, watcher);
    health.addCache(name, [&watcher] { return watcher.hasSynced(); });
  };
  addCache("trainingjobs", *watch_jobs_);
  addCache("pods", *watch_pods_);
  addThread("resourcequotas", *watch_quotas_);
}

std::vector<control::MetricsReading::Cache> Watched::readMetrics() const {
  return {readingOf("trainingjobs", jobs_.size(), jobs_.refused(), watch_jobs_.get()),
          readingOf("pods", pods_.size(), pods_.refused(), watch_pods_.get()),
          readingOf("resourcequotas", quotas_.size(), quotas_.refused(), watch_quotas_.get())};
}

}  // namespace sumac::cache
