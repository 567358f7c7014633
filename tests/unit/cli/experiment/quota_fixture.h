#pragma once

#include <string>
#include <thread>

#include "cli/experiment/room_plan.h"
#include "tests/unit/cli/cluster/cluster_fixture.h"

namespace sumac::cli {

/// An API server in which experiments have quotas.
struct QuotaFixture : ClusterFixture {
  static fake::Target quotaTarget(const std::string& name) {
    return {"v1", "resourcequotas", "default", name, ""};
  }
  static bool isOfQuota(const fake::Seen& seen) {
    return contains(seen.target, "/resourcequotas/sumac-experiment-");
  }
  static bool isQuotaRead(const fake::Seen& seen) {
    return seen.method == "GET" && isOfQuota(seen);
  }
  std::size_t quotas() { return server.store().all("resourcequotas").size(); }
  std::string podsAllowed() {
    return server.store()
        .get(quotaTarget(quotaNameOf(mark)))
        .body.value("/spec/hard/pods"_json_pointer, "");
  }

  /// Kubernetes' controller: a quota that was asked for has been taken over before the next time.
  class Controller {
   public:
    explicit Controller(QuotaFixture& fixture)
        : fixture_(fixture), thread_([&fixture](const std::stop_token& end) {
            for (std::size_t asked = 1; !end.stop_requested();) {
              if (!fixture.server.waitFor(asked, isQuotaRead)) continue;
              fixture.takeOver();
              ++asked;
            }
          }) {}
    ~Controller() {
      thread_.request_stop();
      // Wakes it.
      (void)fixture_.client->get(kube::kResourceQuotas, {"default", quotaNameOf(fixture_.mark)});
    }
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;

   private:
    QuotaFixture& fixture_;
    std::jthread thread_;
  };

  void takeOver() {
    server.store().edit(quotaTarget(quotaNameOf(mark)), [](nlohmann::json& quota) {
      quota["status"] = {{"hard", quota["spec"]["hard"]}, {"used", {{"pods", "0"}}}};
    });
  }

  const ExperimentMark mark{"study", "0123456789"};
};

}  // namespace sumac::cli
