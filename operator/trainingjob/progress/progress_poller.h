#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/core/clock.h"
#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/log/log.h"
#include "operator/trainingjob/progress/poll_schedule.h"
#include "operator/trainingjob/progress/progress_source.h"

namespace sumac::trainingjob {

/// Gets the body of `http://<ip>:7071/progress`, within limits of time and size. Fails with the
/// cause if there is none.
using FetchProgress =
    std::function<Result<std::string>(const std::string& ip, const std::stop_token& stop)>;

/// By HTTP, with the limits of base/telemetry: two seconds, 64 KiB, no redirects, only status
/// 200.
FetchProgress fetchProgressByHttp();

/// Polls slots 0 on its own threads and calls `wake` for a job whose percentage has changed. It
/// polls only targets that a reconciler follows, so only in the leader.
class ProgressPoller final : public ProgressSource {
 public:
  /// `wake` is called from our threads without a lock held. `clock` outlives us.
  ProgressPoller(FetchProgress fetch, int threads, std::function<void(const api::ObjectKey&)> wake,
                 const Clock& clock, const Log& log);
  ~ProgressPoller() override;

  void follow(const ProgressTarget& target) override;
  void forget(const api::ObjectKey& key) override;
  std::optional<ProgressAnswer> latest(const api::ObjectKey& key, const std::string& uid,
                                       int attempt) const override;

 private:
  void work(const std::stop_token& stop);
  void poll(const ProgressTarget& target, const std::stop_token& stop);
  void warn(const ProgressTarget& target, const std::string& error);

  const FetchProgress fetch_;
  const std::function<void(const api::ObjectKey&)> wake_;
  const Clock& clock_;
  const Log log_;

  mutable Mutex mutex_;
  Condition changed_;
  PollSchedule schedule_ SUMAC_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace sumac::trainingjob
