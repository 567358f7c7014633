#include "operator/program/flags.h"

#include <cstdint>

#include <CLI/CLI.hpp>

#include "common/base/version.h"
#include "common/telemetry/address.h"
#include "operator/control/leader_election.h"

namespace sumac {
namespace {

constexpr const char* kFooter =
    "A flag wins over the environment variable beside it, which wins over the default.\n"
    "The cluster is found as kubectl finds it; in a pod, by the pod's service account.\n\n"
    "Exit status: 143 asked to stop by SIGTERM; 1 failed, or the lease was lost to another\n"
    "operator (start again); 2 bad usage; 78 bad configuration; 134 broken invariant.";

/// Periods are given in whole seconds and are checked together.
struct Periods {
  int lease_duration = 15;
  int renew_deadline = 10;
  int retry_period = 2;
};

std::string checkAddress(const std::string& text) {
  const auto address = parseAddress(text);
  return address ? std::string() : address.error().message;
}

void addCluster(CLI::App& app, OperatorFlags& flags) {
  const char* group = "Cluster";
  app.add_option("--namespace", flags.name_space, "Serve only this namespace (default: all)")
      ->envname("SUMAC_OPERATOR_NAMESPACE")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--kubeconfig", flags.kubeconfig, "As kubectl's; for running outside a cluster")
      ->envname("SUMAC_OPERATOR_KUBECONFIG")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--context", flags.context, "Context of the kubeconfig")
      ->envname("SUMAC_OPERATOR_CONTEXT")
      ->type_name("NAME")
      ->group(group);
}

void addElection(CLI::App& app, OperatorFlags& flags, Periods& periods) {
  const char* group = "Leader election";
  app.add_option("--leader-elect", flags.leader_elect,
                 "Of several operators one works, the others wait; false: this one works")
      ->envname("SUMAC_OPERATOR_LEADER_ELECT")
      ->capture_default_str()
      ->group(group);
  app.add_option("--lease-namespace", flags.lease_namespace,
                 "Where the Lease is (default: the operator's namespace)")
      ->envname("SUMAC_OPERATOR_LEASE_NAMESPACE")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--lease-name", flags.lease_name, "The Lease")
      ->envname("SUMAC_OPERATOR_LEASE_NAME")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  app.add_option("--lease-duration", periods.lease_duration,
                 "Others wait this long for a leader that does not renew")
      ->envname("SUMAC_OPERATOR_LEASE_DURATION")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 600))
      ->capture_default_str()
      ->group(group);
  app.add_option("--lease-renew-deadline", periods.renew_deadline,
                 "A leader that could not renew for this long ends")
      ->envname("SUMAC_OPERATOR_LEASE_RENEW_DEADLINE")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 600))
      ->capture_default_str()
      ->group(group);
  app.add_option("--lease-retry-period", periods.retry_period, "Pause between two looks")
      ->envname("SUMAC_OPERATOR_LEASE_RETRY_PERIOD")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 600))
      ->capture_default_str()
      ->group(group);
}

void addLimits(CLI::App& app, OperatorFlags& flags) {
  const char* group = "Limits";
  app.add_option("--qps", flags.qps, "Requests a second to the API server, in the long run")
      ->envname("SUMAC_OPERATOR_QPS")
      ->type_name("NUMBER")
      ->check(CLI::Range(0.1, 100000.0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--burst", flags.burst, "Requests at once after a rest")
      ->envname("SUMAC_OPERATOR_BURST")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->group(group);
  app.add_option("--workers", flags.workers, "Jobs that are worked on at the same time")
      ->envname("SUMAC_OPERATOR_WORKERS")
      ->type_name("N")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->group(group);
  app.add_option("--in-flight", flags.in_flight, "Pods of one job that are made side by side")
      ->envname("SUMAC_OPERATOR_IN_FLIGHT")
      ->type_name("N")
      ->check(CLI::Range(1, 256))
      ->capture_default_str()
      ->group(group);
}

void addPods(CLI::App& app, OperatorFlags& flags) {
  const char* group = "Pods of jobs";
  app.add_option("--worker-image", flags.worker_image, "Image of workers whose job names none")
      ->envname("SUMAC_OPERATOR_WORKER_IMAGE")
      ->type_name("IMAGE")
      ->required()
      ->group(group);
  app.add_option("--server-image", flags.server_image, "Image of servers whose job names none")
      ->envname("SUMAC_OPERATOR_SERVER_IMAGE")
      ->type_name("IMAGE")
      ->required()
      ->group(group);
  app.add_option("--image-pull-policy", flags.image_pull_policy,
                 "Always, IfNotPresent or Never (default: the cluster's rule)")
      ->envname("SUMAC_OPERATOR_IMAGE_PULL_POLICY")
      ->type_name("POLICY")
      ->check(CLI::IsMember({"Always", "IfNotPresent", "Never"}))
      ->group(group);
  app.add_option("--worker-template", flags.worker_template_file,
                 "PodTemplateSpec (JSON) below the one that a job has for its workers")
      ->envname("SUMAC_OPERATOR_WORKER_TEMPLATE")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--server-template", flags.server_template_file,
                 "PodTemplateSpec (JSON) below the one that a job has for its servers")
      ->envname("SUMAC_OPERATOR_SERVER_TEMPLATE")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--metrics-namespace", flags.metrics_namespace,
                 "Its pods may read the metrics of jobs' pods (default: nobody's)")
      ->envname("SUMAC_OPERATOR_METRICS_NAMESPACE")
      ->type_name("NAME")
      ->group(group);
}

void addReports(CLI::App& app, OperatorFlags& flags, std::string& level) {
  const char* group = "Reports";
  app.add_option(
         "--health-listen", flags.health_listen,
         "/healthz, /readyz and /metrics; no host: all addresses, so that probes reach it;\n"
         "port 0 picks one")
      ->envname("SUMAC_OPERATOR_HEALTH_LISTEN")
      ->type_name("HOST:PORT")
      ->check(CLI::Validator(checkAddress, "", "address"))
      ->capture_default_str()
      ->group(group);
  app.add_option("--log-level", level, "debug, info, warn or error")
      ->envname("SUMAC_OPERATOR_LOG_LEVEL")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str()
      ->group(group);
}

void takePeriods(OperatorFlags& flags, const Periods& periods) {
  control::ElectionOptions options;
  options.lease_duration = flags.lease_duration = std::chrono::seconds(periods.lease_duration);
  options.renew_deadline = flags.renew_deadline = std::chrono::seconds(periods.renew_deadline);
  options.retry_period = flags.retry_period = std::chrono::seconds(periods.retry_period);
  const auto checked = control::checkElectionOptions(options);
  if (!checked) throw CLI::ValidationError("--lease-*", checked.error().message);
}

}  // namespace

std::variant<OperatorFlags, ExitCode> parseOperatorFlags(int argc, const char* const* argv) {
  OperatorFlags flags;
  Periods periods;
  std::string level = "info";
  CLI::App app("Runs the TrainingJobs of a Kubernetes cluster.", "sumac-operator");
  app.set_version_flag("--version", std::string("sumac-operator ") + kVersion);
  app.footer(kFooter);
  addCluster(app, flags);
  addElection(app, flags, periods);
  addLimits(app, flags);
  addPods(app, flags);
  addReports(app, flags, level);
  try {
    app.parse(argc, argv);
    takePeriods(flags, periods);
  } catch (const CLI::ParseError& stop) {
    return app.exit(stop) == 0 ? ExitCode::kDone : ExitCode::kUsage;
  }
  flags.log_level = logLevelFromName(level).value();
  return flags;
}

}  // namespace sumac
