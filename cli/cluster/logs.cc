#include "cli/cluster/logs.h"

#include <algorithm>
#include <ostream>

#include "cli/cluster/failure_text.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/log_follow.h"
#include "cli/cluster/log_lines.h"
#include "common/base/exit_code.h"

namespace sumac::cli {
namespace {

// A kubelet that answers at all sends a finished log without long pauses.
constexpr Duration kLogsIdle = std::chrono::seconds(60);

std::string notYet(const api::Pod& pod) {
  const std::string& reason =
      pod.waiting_reason.empty() ? pod.unscheduled_reason : pod.waiting_reason;
  const std::string& message =
      pod.waiting_message.empty() ? pod.unscheduled_message : pod.waiting_message;
  std::string text = memberName(pod.slot) + " has not started";
  if (!reason.empty()) text += ": " + oneLine(reason);
  if (!message.empty()) text += ": " + oneLine(message);
  return text;
}

/// Prints one pod's log; whether it could be read.
bool printLog(const Cluster& cluster, const LogsOptions& options, const api::Pod& pod,
              const std::string& prefix, const Console& console) {
  LineCutter cutter;
  const auto print = [&](std::string_view line) {
    console.out << prefix << readableLine(line, options.choice.has_times) << "\n";
  };
  const auto request =
      logRequest(options.choice, pod.meta.key, /*follow=*/false, options.choice.has_times, "");
  const auto response = cluster.transport.stream(
      request, kLogsIdle, cluster.stop,
      [&](std::string_view bytes) {
        cutter.add(bytes, print);
        return true;
      },
      /*raw=*/true);
  cutter.end(print);
  console.out.flush();
  if (response.status == 200 && response.error.empty()) return true;
  const auto failure = kube::failureOf("get the log of " + pod.meta.key.name, response);
  console.err << "error: "
              << inWords(failure,
                         {.verb = "get",
                          .resource = kube::kPods,
                          .subresource = "log",
                          .name_space = pod.meta.key.name_space,
                          .name = pod.meta.key.name},
                         cluster.server)
              << std::endl;
  return false;
}

int printAll(const Cluster& cluster, const LogsOptions& options, const Console& console) {
  auto pods = fetchPods(cluster, options.choice.job);
  if (!pods) {
    console.err << "error: " << pods.error().message << std::endl;
    return toInt(ExitCode::kFailed);
  }
  std::erase_if(*pods, [&](const api::Pod& pod) { return !isChosen(options.choice, pod); });
  if (pods->empty()) {
    console.err << "error: the job " << options.choice.job << " has no such pods; `sumac describe "
                << options.choice.job << "` shows those it has" << std::endl;
    return toInt(ExitCode::kFailed);
  }
  bool is_any = false;
  for (const api::Pod& pod : *pods) {
    if (cluster.stop.stop_requested()) return toInt(ExitCode::kInterrupted);
    if (!hasLog(pod)) {
      console.err << notYet(pod) << std::endl;
      continue;
    }
    const std::string prefix = pods->size() > 1 ? prefixOf(pod.slot, console.has_color) : "";
    is_any = printLog(cluster, options, pod, prefix, console) || is_any;
  }
  return toInt(is_any ? ExitCode::kDone : ExitCode::kFailed);
}

}  // namespace

int logs(const Cluster& cluster, const LogsOptions& options, const Console& console) {
  const auto job = fetchJob(cluster, options.choice.job);
  if (!job) {
    console.err << "error: " << job.error().message << std::endl;
    return toInt(ExitCode::kFailed);
  }
  if (!options.follow || job->job.status.isFinished()) return printAll(cluster, options, console);
  return followLogs(cluster, options.choice, job->job.meta.uid, console);
}

}  // namespace sumac::cli
