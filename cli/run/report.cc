#include "cli/run/report.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/units.h"

namespace sumac::cli {
namespace {

constexpr const char* kAbsent = "-";

/// Of a file that anybody may have written: no control characters reach the terminal.
std::string shown(std::string text) {
  constexpr std::size_t kMaxShown = 80;
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return text.empty() ? kAbsent : text.substr(0, kMaxShown);
}

std::string decimal(std::optional<double> value, int digits, const char* unit = "") {
  return value ? fixedText(*value, digits) + unit : kAbsent;
}

/// "1.25 s (40 %)": of all.
std::string timeShare(double seconds, double all) {
  const double share = all > 0 ? seconds / all : 0;
  return durationText(seconds) + " (" + percentText(share, 0) + ")";
}

std::vector<std::string> timeRow(const std::string& name, const WorkerTimes& times) {
  std::vector<std::string> row{name, durationText(times.seconds)};
  for (const double part :
       {times.gradients, times.sum_wait, times.data_wait, times.updates, times.other()})
    row.push_back(timeShare(part, times.seconds));
  return row;
}

using Lines = std::vector<std::pair<std::string, std::string>>;

/// What was learned: the first thing that anybody wants to know.
Lines scores(const JobResult& result) {
  Lines lines;
  if (result.test_accuracy)
    lines.emplace_back("test accuracy", percentText(*result.test_accuracy, 2));
  if (result.valid_accuracy)
    lines.emplace_back("validation", percentText(*result.valid_accuracy, 2));
  if (result.valid_perplexity)
    lines.emplace_back("valid perplexity", decimal(result.valid_perplexity, 2));
  if (result.test_perplexity)
    lines.emplace_back("test perplexity", decimal(result.test_perplexity, 2));
  if (result.loss) lines.emplace_back("training loss", decimal(result.loss, 4));
  return lines;
}

/// Of the whole training, where members changed; the result's are of its writer's own time.
std::optional<double> trainedSeconds(const JobResult& result, const RunCourse& course) {
  return course.members.empty() ? result.seconds : course.seconds;
}

/// Over that time where members changed, pauses included; else inside steps.
std::optional<double> samplesPerSecond(const JobResult& result, const RunCourse& course) {
  if (course.members.empty()) return result.samples_per_second;
  if (course.seconds.value_or(0) <= 0) return std::nullopt;
  const Step steps = result.steps - course.from;
  return static_cast<double>(steps * course.batch_size) / *course.seconds;
}

/// "18 epochs, 216 steps in 0.5 s, 39408 samples/s; 2 workers, 1 server"; of a run that was resumed
/// "216 steps, the last 16 in 0.1 s".
std::string courseText(const JobResult& result, const RunCourse& course) {
  const auto& setting = result.setting;
  return counted(result.epochs, "epoch") + ", " + counted(result.steps, "step") +
         (course.from > 0 ? ", the last " + std::to_string(result.steps - course.from) : "") +
         " in " + decimal(trainedSeconds(result, course), 1, " s") + ", " +
         decimal(samplesPerSecond(result, course), 0) + " samples/s; " +
         counted(setting.workers, "worker") + ", " +
         (setting.servers > 0 ? counted(setting.servers, "server") : std::string("no servers"));
}

std::string parametersText(const JobResult& result) {
  const auto& setting = result.setting;
  return "SHA-256 " + shown(result.parameters_sha256) + " (" +
         counted(setting.logical_workers, "logical worker") + ", seed " +
         std::to_string(setting.seed) + ", " + shown(setting.numerics) + ")";
}

bool isThere(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

void addFiles(const RunFolder& folder, bool has_program, Lines& lines) {
  const auto output = folder.output();
  if (isThere(output.model())) lines.emplace_back("model", output.model().string());
  if (isThere(output.curve())) lines.emplace_back("curve", output.curve().string());
  if (isThere(folder.trace())) {
    lines.emplace_back("trace",
                       folder.trace().string() + ", for ui.perfetto.dev or chrome://tracing");
  }
  std::string others;
  for (const auto& path : {output.result(), output.metrics(), folder.checkpoints(), folder.job()}) {
    if (isThere(path)) others += (others.empty() ? "" : ", ") + path.filename().string();
  }
  if (!others.empty()) lines.emplace_back("beside it", others);
  if (isThere(output.model()) && !has_program)
    lines.emplace_back("next", "sumac evaluate " + folder.path().string());
}

/// The names in a column of their own.
std::string aligned(const Lines& lines) {
  std::size_t width = 0;
  for (const auto& [name, value] : lines)
    width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : lines)
    text += name + std::string(width - name.size() + 3, ' ') + value + "\n";
  return text;
}

}  // namespace

std::string summary(const JobResult& result, const RunFolder& folder, const RunCourse& course) {
  Lines lines = scores(result);
  lines.emplace_back("trained", courseText(result, course));
  if (!course.members.empty()) lines.emplace_back("members", course.members);
  if (!course.sizing.empty()) lines.emplace_back("autoscaling", course.sizing);
  lines.emplace_back("parameters", parametersText(result));
  addFiles(folder, course.has_program, lines);
  return aligned(lines);
}

std::string timeTable(const JobResult& result, const report::TextStyle& style) {
  constexpr std::size_t kMostRows = 8;
  if (result.worker_times.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  WorkerTimes mean;
  const auto count = static_cast<double>(result.worker_times.size());
  for (const WorkerTimes& one : result.worker_times) {
    if (rows.size() < kMostRows) rows.push_back(timeRow(std::to_string(one.worker), one));
    mean.seconds += one.seconds / count;
    mean.gradients += one.gradients / count;
    mean.sum_wait += one.sum_wait / count;
    mean.data_wait += one.data_wait / count;
    mean.updates += one.updates / count;
  }
  if (result.worker_times.size() > 1) rows.push_back(timeRow("mean", mean));
  return report::tableText(
      {"WORKER", "TIME", "GRADIENTS", "WAIT-FOR-SUMS", "WAIT-FOR-DATA", "UPDATES", "OTHER"}, rows,
      style);
}

}  // namespace sumac::cli
