#include "cli/cluster/describe.h"

#include <algorithm>
#include <ostream>
#include <set>

#include <nlohmann/json.hpp>

#include "base/core/exit_code.h"
#include "cli/cluster/describe_text.h"
#include "cli/cluster/failure_text.h"

namespace sumac::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostEvents = 25;

/// "lenet5-worker-3" for lenet5, but not "lenet5-worker-x-worker-3".
bool isMemberOf(const std::string& pod, const std::string& job) {
  for (const std::string& start : {job + "-worker-", job + "-server-"}) {
    if (pod.starts_with(start) &&
        pod.find_first_not_of("0123456789", start.size()) == std::string::npos) {
      return true;
    }
  }
  return false;
}

/// The names of objects whose events belong to a job: its own and its pods', those gone included.
bool isAbout(const Json& event, const api::TrainingJob& job) {
  const auto object = event.find("involvedObject");
  if (object == event.end() || !object->is_object()) return false;
  const auto text = [&object](const char* name) {
    const auto found = object->find(name);
    return found != object->end() && found->is_string() ? found->get<std::string>() : "";
  };
  const std::string& name = job.meta.key.name;
  if (text("kind") == "TrainingJob") return text("name") == name && text("uid") == job.meta.uid;
  return text("kind") == "Pod" && isMemberOf(text("name"), name);
}

void fetchEvents(const Cluster& cluster, Description& description) {
  const api::TrainingJob& job = description.job.job;
  const auto end = cluster.client.list(
      kube::kEvents, job.meta.key.name_space, {},
      [&](const Json& event) {
        if (isAbout(event, job)) description.events.push_back(eventLine(event));
      },
      [&description] { description.events.clear(); });
  if (end.failure) {
    description.events_problem = inWords(
        *end.failure, {.verb = "list", .resource = kube::kEvents, .name_space = cluster.name_space},
        cluster.server);
  }
  auto& events = description.events;
  std::stable_sort(events.begin(), events.end(),
                   [](const EventLine& a, const EventLine& b) { return a.last < b.last; });
  if (events.size() > kMostEvents) {
    events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(kMostEvents));
  }
}

}  // namespace

int describe(const Cluster& cluster, const std::vector<std::string>& names,
             const std::string& program, const Console& console) {
  bool is_complete = true;
  bool is_first = true;
  for (const std::string& name : names) {
    auto job = fetchJob(cluster, name);
    if (!job) {
      console.err << "error: " << job.error().message << std::endl;
      is_complete = false;
      continue;
    }
    Description description{*std::move(job), {}, {}, {}, {}};
    auto pods = fetchPods(cluster, name);
    if (pods)
      description.pods = *std::move(pods);
    else
      description.pods_problem = pods.error().message;
    fetchEvents(cluster, description);
    console.out << (is_first ? "" : "\n\n")
                << describeText(description, cluster.wall_clock.now(), program, console.style)
                << std::flush;
    is_first = false;
  }
  return toInt(is_complete ? ExitCode::kDone : ExitCode::kFailed);
}

}  // namespace sumac::cli
