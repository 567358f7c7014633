#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/log/log.h"
#include "operator/trainingjob/poll_schedule.h"
#include "operator/trainingjob/progress_source.h"

namespace sumac::trainingjob {

/// The body of `http://<ip>:7071/progress`, in bounded time and size; fails with why there is none.
using FetchProgress =
    std::function<Result<std::string>(const std::string& ip, const std::stop_token& stop)>;

/// Asks by common/telemetry: two seconds, 64 KiB, no redirects, only status 200.
FetchProgress fetchProgressByHttp();

/// Asks slots 0 on a few threads of its own and wakes the job's key when its percentage moved. It
/// asks only what a reconciler follows, and so only in the leader.
class ProgressPoller final : public ProgressSource {
 public:
  /// `wake` is called from our threads, without any lock of ours. `clock` outlives us.
  ProgressPoller(FetchProgress fetch, int threads, std::function<void(const api::ObjectKey&)> wake,
                 const Clock& clock, const Log& log);
  ~ProgressPoller() override;

  void follow(const ProgressTarget& target) override;
  void forget(const api::ObjectKey& key) override;
  std::optional<api::Progress> latest(const api::ObjectKey& key, const std::string& uid,
                                      int attempt) const override;

 private:
  void work(const std::stop_token& stop);
  void ask(const ProgressTarget& target, const std::stop_token& stop);

  const FetchProgress fetch_;
  const std::function<void(const api::ObjectKey&)> wake_;
  const Clock& clock_;
  const Log log_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  PollSchedule schedule_;              // guarded by mutex_
  std::vector<std::jthread> threads_;  // last: they use all above
};

}  // namespace sumac::trainingjob
