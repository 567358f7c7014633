#include "cli/cluster/describe_text.h"

#include <algorithm>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/units.h"
#include "cli/cluster/advice.h"
#include "cli/cluster/describe_spec.h"
#include "cli/cluster/failure_text.h"
#include "cli/cluster/job_columns.h"
#include "cli/cluster/progress_text.h"
#include "cli/cluster/time_text.h"

namespace sumac::cli {
namespace {

using Json = nlohmann::json;

/// "Name:          value" lines; those without a value are left out.
class Lines {
 public:
  explicit Lines(const report::TextStyle& style) : style_(style) {}

  void add(const std::string& name, const std::string& value) {
    constexpr std::size_t kWidth = 15;
    if (value.empty()) return;
    line(name + ":" + std::string(kWidth - std::min(kWidth - 1, name.size() + 1), ' ') + value,
         static_cast<int>(kWidth));
  }
  void section(const std::string& name) { text_ += "\n" + name + ":\n"; }
  /// A block of lines, two columns in.
  void indented(const std::string& block) {
    std::size_t at = 0;
    while (at < block.size()) {
      const auto end = std::min(block.find('\n', at), block.size());
      line((end > at ? "  " : "") + block.substr(at, end - at), 2 * kIndent);
      at = end + 1;
    }
  }
  void table(const std::vector<std::string>& titles,
             const std::vector<std::vector<std::string>>& rows) {
    report::TextStyle style = style_;
    if (style.columns > 0) style.columns = std::max(style.columns - kIndent, 1);
    indented(report::tableText(titles, rows, style));
  }
  std::string take() { return std::move(text_); }

 private:
  static constexpr int kIndent = 2;

  void line(const std::string& text, int indent) {
    text_ += report::wrapped(text, style_.columns, indent) + "\n";
  }

  const report::TextStyle style_;
  std::string text_;
};

/// What a job that sizes itself does, and why.
std::string choiceText(const api::AutoscalingStatus& chosen, WallTime now) {
  std::string text = counted(chosen.workers_wanted, "worker") + ", " + oneLine(chosen.reason);
  if (!chosen.message.empty()) text += ": " + oneLine(chosen.message);
  if (chosen.last_change) text += "; last change " + ageText(chosen.last_change, now) + " ago";
  return text;
}

void addHead(Lines& lines, const api::TrainingJob& job, WallTime now) {
  const api::JobStatus& status = job.status;
  lines.add("Name", job.meta.key.name);
  lines.add("Namespace", job.meta.key.name_space);
  lines.add("State", stateOf(job));
  lines.add("Age", ageText(job.meta.created, now));
  lines.add("Workers", oneLine(status.workers));
  if (status.autoscaling) lines.add("Autoscaling", choiceText(*status.autoscaling, now));
  lines.add("Attempt", std::to_string(status.attempt) + " (" + std::to_string(status.restarts) +
                           " restarts, " + std::to_string(status.replaced) + " pods replaced, " +
                           std::to_string(status.resizes) + " resizes, " +
                           std::to_string(status.disruptions) + " disruptions)");
  if (status.membership != api::MembershipStatus{}) {
    const api::MembershipStatus& members = status.membership;
    lines.add("Members", counted(members.changes, "change") + "; term " +
                             std::to_string(members.term) + ", generation " +
                             std::to_string(members.generation));
  }
  lines.add("Coordinator", oneLine(status.coordinator));
  if (status.start_time) lines.add("Started", ageText(status.start_time, now) + " ago");
  if (status.completion_time) lines.add("Ended", ageText(status.completion_time, now) + " ago");
  if (!status.progress) return;
  lines.add("Progress", progressText(*status.progress, now));
  lines.add("Checkpoint", checkpointText(*status.progress));
}

void addResult(Lines& lines, const JobResult& result) {
  lines.section("Result");
  const std::pair<const char*, std::string> entries[] = {
      {"loss", decimalText(result.loss)},
      {"validation accuracy", decimalText(result.valid_accuracy)},
      {"test accuracy", decimalText(result.test_accuracy)},
      {"valid perplexity", decimalText(result.valid_perplexity)},
      {"test perplexity", decimalText(result.test_perplexity)},
      {"steps", std::to_string(result.steps)},
      {"seconds", decimalText(result.seconds)},
      {"samples/s", decimalText(result.samples_per_second)},
      {"batches/s", decimalText(result.batches_per_second)},
      {"model", result.model_path},
      {"SHA-256 of the parameters", result.parameters_sha256}};
  for (const auto& [name, value] : entries) {
    if (!value.empty()) lines.indented(std::string(name) + ": " + oneLine(value));
  }
}

std::string word(api::ConditionStatus status) {
  if (status == api::ConditionStatus::kUnknown) return "Unknown";
  return status == api::ConditionStatus::kTrue ? "True" : "False";
}

void addConditions(Lines& lines, const api::JobStatus& status, WallTime now) {
  lines.section("Conditions");
  if (status.conditions.empty()) {
    lines.indented("none yet");
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const api::Condition& condition : status.conditions) {
    rows.push_back({condition.type, word(condition.status), ageText(condition.last_transition, now),
                    oneLine(condition.reason), meaningOf(condition)});
  }
  lines.table({"TYPE", "STATUS", "SINCE", "REASON", "MEANS"}, rows);
  std::set<std::string> told;
  for (const api::Condition& condition : status.conditions) {
    // Running=False says why pods wait; once the job has ended, what ended it says more.
    const bool is_news = condition.status == api::ConditionStatus::kTrue ||
                         (condition.type == "Running" && !status.isFinished());
    if (is_news && !condition.message.empty() && told.insert(condition.message).second) {
      lines.indented(condition.type + ": " + oneLine(condition.message));
    }
  }
}

void addPods(Lines& lines, const Description& description, WallTime now) {
  lines.section("Pods");
  if (!description.pods_problem.empty()) return lines.indented(description.pods_problem);
  if (description.pods.empty()) return lines.indented("none");
  std::vector<std::vector<std::string>> rows;
  for (const api::Pod& pod : description.pods) {
    rows.push_back({pod.meta.key.name, std::to_string(pod.attempt), podStatus(pod),
                    pod.is_ready ? "yes" : "no", pod.node, pod.ip, ageText(pod.meta.created, now)});
  }
  lines.table({"NAME", "ATTEMPT", "STATUS", "READY", "NODE", "IP", "AGE"}, rows);
  for (const api::Pod& pod : description.pods) {
    const std::string& why =
        pod.waiting_message.empty() ? pod.unscheduled_message : pod.waiting_message;
    if (!pod.is_running && !pod.terminated && !why.empty()) {
      lines.indented(pod.meta.key.name + ": " + oneLine(why));
    }
  }
}

void addFailure(Lines& lines, const api::LastFailure& failure, WallTime now) {
  lines.section("Last failure");
  lines.indented(ageText(failure.time, now) + " ago: pod " + oneLine(failure.pod_name) + ", " +
                 oneLine(failure.reason));
  if (failure.exit_code) {
    const std::string meaning = exitCodeMeaning(*failure.exit_code);
    lines.indented("exit code " + std::to_string(*failure.exit_code) +
                   (meaning.empty() ? "" : " (" + meaning + ")"));
  }
  if (!failure.message.empty()) lines.indented(oneLine(failure.message));
}

void addEvents(Lines& lines, const Description& description, WallTime now) {
  lines.section("Events");
  if (!description.events_problem.empty()) return lines.indented(description.events_problem);
  if (description.events.empty()) return lines.indented("none");
  std::vector<std::vector<std::string>> rows;
  for (const EventLine& event : description.events) {
    const std::string times = event.count > 1 ? " (x" + std::to_string(event.count) + ")" : "";
    rows.push_back(
        {ageText(event.last, now) + times, event.type, event.reason, event.object, event.message});
  }
  lines.table({"LAST", "TYPE", "REASON", "OBJECT", "MESSAGE"}, rows);
}

std::string textOf(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_string() ? oneLine(found->get<std::string>()) : "";
}

const Json& inner(const Json& object, const char* name) {
  static const Json kNothing = Json::object();
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_object() ? *found : kNothing;
}

}  // namespace

std::string describeText(const Description& description, WallTime now, const std::string& program,
                         const report::TextStyle& style) {
  const api::TrainingJob& job = description.job.job;
  Lines lines(style);
  addHead(lines, job, now);
  lines.section("Spec");
  for (const auto& [name, value] : specLines(inner(*description.job.object, "spec"))) {
    if (!value.empty()) lines.indented(name + ": " + value);
  }
  if (job.status.result) addResult(lines, *job.status.result);
  addConditions(lines, job.status, now);
  addPods(lines, description, now);
  if (job.status.last_failure) addFailure(lines, *job.status.last_failure, now);
  addEvents(lines, description, now);
  lines.section("Next");
  lines.indented(nextStep(job, now, program));
  return lines.take();
}

EventLine eventLine(const Json& event) {
  EventLine line;
  line.type = textOf(event, "type");
  line.reason = textOf(event, "reason");
  line.message = textOf(event, "message");
  const Json& object = inner(event, "involvedObject");
  line.object = textOf(object, "kind") + "/" + textOf(object, "name");
  const auto count = event.find("count");
  if (count != event.end() && count->is_number_integer()) line.count = count->get<std::int64_t>();
  for (const std::string& time :
       {textOf(inner(event, "series"), "lastObservedTime"), textOf(event, "lastTimestamp"),
        textOf(event, "eventTime"), textOf(inner(event, "metadata"), "creationTimestamp")}) {
    const auto parsed = parseRfc3339(time);
    if (parsed) {
      line.last = *parsed;
      break;
    }
  }
  return line;
}

std::string podStatus(const api::Pod& pod) {
  if (pod.meta.deleted) return "Terminating";
  if (pod.terminated) {
    const int code = pod.terminated->exit_code;
    if (code == 0) return "Completed";
    const std::string reason =
        pod.terminated->reason.empty() ? "Error" : oneLine(pod.terminated->reason);
    return reason + " (" + std::to_string(code) + ")";
  }
  if (!pod.reason.empty()) return oneLine(pod.reason);
  if (!pod.waiting_reason.empty()) return oneLine(pod.waiting_reason);
  if (!pod.unscheduled_reason.empty()) return oneLine(pod.unscheduled_reason);
  switch (pod.phase) {
    case api::PodPhase::kPending: return "Pending";
    case api::PodPhase::kRunning: return "Running";
    case api::PodPhase::kSucceeded: return "Succeeded";
    case api::PodPhase::kFailed: return "Failed";
    case api::PodPhase::kUnknown: break;
  }
  return "Unknown";
}

}  // namespace sumac::cli
