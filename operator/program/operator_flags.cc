#include "operator/program/operator_flags.h"

#include <cstdint>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/core/version.h"
#include "base/process/exit_code_help.h"
#include "base/process/help_format.h"
#include "base/process/member_flags.h"
#include "base/process/usage.h"
#include "base/telemetry/address.h"
#include "operator/control/leader_election.h"

namespace sumac::program {
namespace {

constexpr const char* kFooter =
    "A flag wins over its environment variable, which wins over the default.\n"
    "The cluster is found as kubectl finds it; in a pod, by the pod's service account.\n\n";

constexpr Flag kLogLevel{"--log-level", "SUMAC_OPERATOR_LOG_LEVEL", "LEVEL",
                         member_flags::kLogLevel.help};
constexpr Flag kLogFormat{"--log-format", "SUMAC_OPERATOR_LOG_FORMAT", "FORMAT",
                          member_flags::kLogFormat.help};

std::string exitCodes() {
  return exitCodeHelp({{ExitCode::kFailed, "failed, or another operator leads now: start it again"},
                       ExitCode::kUsage,
                       {ExitCode::kBadConfiguration, "bad configuration"},
                       ExitCode::kBrokenInvariant,
                       {ExitCode::kStopped, "stopped by SIGTERM or SIGINT"}});
}

/// Periods are given in whole seconds and checked together.
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
  app.add_option("--namespace", flags.name_space, "Watch only this namespace [all]")
      ->envname("SUMAC_OPERATOR_NAMESPACE")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--kubeconfig", flags.kubeconfig, "As for kubectl; for running outside a cluster")
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
                 "One of several operators leads, the others stand by; false: this one leads")
      ->envname("SUMAC_OPERATOR_LEADER_ELECT")
      ->type_name("true|false")
      ->default_str("true")
      ->group(group);
  app.add_option("--lease-namespace", flags.lease_namespace,
                 "Namespace of the Lease [the operator's]")
      ->envname("SUMAC_OPERATOR_LEASE_NAMESPACE")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--lease-name", flags.lease_name, "Name of the Lease")
      ->envname("SUMAC_OPERATOR_LEASE_NAME")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  app.add_option("--lease-duration", periods.lease_duration,
                 "How long others wait for a leader that does not renew")
      ->envname("SUMAC_OPERATOR_LEASE_DURATION")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 600))
      ->capture_default_str()
      ->group(group);
  app.add_option("--lease-renew-deadline", periods.renew_deadline,
                 "A leader that cannot renew for this long exits")
      ->envname("SUMAC_OPERATOR_LEASE_RENEW_DEADLINE")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 600))
      ->capture_default_str()
      ->group(group);
  app.add_option("--lease-retry-period", periods.retry_period,
                 "Pause between two attempts to take or renew the Lease")
      ->envname("SUMAC_OPERATOR_LEASE_RETRY_PERIOD")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 600))
      ->capture_default_str()
      ->group(group);
}

void addLimits(CLI::App& app, OperatorFlags& flags) {
  const char* group = "Limits";
  app.add_option("--qps", flags.qps, "Average requests per second to the API server")
      ->envname("SUMAC_OPERATOR_QPS")
      ->type_name("NUMBER")
      ->check(CLI::Range(0.1, 100000.0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--burst", flags.burst, "Requests at once after an idle time")
      ->envname("SUMAC_OPERATOR_BURST")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--max-concurrent-reconciles", flags.max_concurrent_reconciles,
         "Jobs reconciled at the same time; one namespace has at most half of them, and slow "
         "namespaces all but one, unless --namespace is set")
      ->envname("SUMAC_OPERATOR_MAX_CONCURRENT_RECONCILES")
      ->type_name("N")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->group(group);
  app.add_option("--in-flight", flags.in_flight, "Pods of one job that are created in parallel")
      ->envname("SUMAC_OPERATOR_IN_FLIGHT")
      ->type_name("N")
      ->check(CLI::Range(1, 256))
      ->capture_default_str()
      ->group(group);
}

void addPods(CLI::App& app, OperatorFlags& flags) {
  const char* group = "Pods of jobs";
  app.add_option("--worker-image", flags.worker_image, "Default image of workers")
      ->envname("SUMAC_OPERATOR_WORKER_IMAGE")
      ->type_name("IMAGE")
      ->required()
      ->group(group);
  app.add_option("--server-image", flags.server_image, "Default image of servers")
      ->envname("SUMAC_OPERATOR_SERVER_IMAGE")
      ->type_name("IMAGE")
      ->required()
      ->group(group);
  app.add_option("--image-pull-policy", flags.image_pull_policy,
                 "When a node pulls the images [the cluster's rule]")
      ->envname("SUMAC_OPERATOR_IMAGE_PULL_POLICY")
      ->type_name("POLICY")
      ->check(CLI::IsMember({"Always", "IfNotPresent", "Never"}))
      ->group(group);
  app.add_option("--worker-template", flags.worker_template_file,
                 "Default PodTemplateSpec (JSON) of workers; a job's own wins")
      ->envname("SUMAC_OPERATOR_WORKER_TEMPLATE")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--server-template", flags.server_template_file,
                 "Default PodTemplateSpec (JSON) of servers; a job's own wins")
      ->envname("SUMAC_OPERATOR_SERVER_TEMPLATE")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--metrics-namespace", flags.metrics_namespace,
                 "Namespace whose pods may read the metrics of jobs' pods [none]")
      ->envname("SUMAC_OPERATOR_METRICS_NAMESPACE")
      ->type_name("NAME")
      ->group(group);
}

void addReports(CLI::App& app, OperatorFlags& flags) {
  const char* group = "Reports";
  app.add_option(
         "--health-listen", flags.health_listen,
         "Address of /healthz, /readyz and /metrics; without a host all addresses, so that probes\n"
         "reach it; port 0 picks one")
      ->envname("SUMAC_OPERATOR_HEALTH_LISTEN")
      ->type_name("HOST:PORT")
      ->check(CLI::Validator(checkAddress, "", "address"))
      ->capture_default_str()
      ->group(group);
  addLogFlags(app, kLogLevel, kLogFormat, flags.log, group);
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
  CLI::App app("Runs the TrainingJobs of a Kubernetes cluster.", "sumac-operator");
  app.formatter(std::make_shared<HelpFormat>());
  app.set_version_flag("--version", std::string("sumac-operator ") + kVersion, "Print the version");
  app.footer(kFooter + exitCodes());
  addCluster(app, flags);
  addElection(app, flags, periods);
  addLimits(app, flags);
  addPods(app, flags);
  addReports(app, flags);
  try {
    app.parse(argc, argv);
    takePeriods(flags, periods);
  } catch (const CLI::ParseError& stop) {
    return endOfUsage(app, stop);
  }
  return flags;
}

}  // namespace sumac::program
