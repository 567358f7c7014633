#include "cli/cluster/top.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/inbox.h"
#include "cli/cluster/job_columns.h"
#include "cli/cluster/progress_text.h"
#include "cli/cluster/time_text.h"

namespace sumac::cli {
namespace {

constexpr Duration kTopBetween = std::chrono::seconds(1);

/// Those that train, then those that wait, then those that have ended; by name.
int orderOf(const api::TrainingJob& job) {
  if (job.status.isFinished()) return 2;
  return job.status.isTrue("Running") ? 0 : 1;
}

std::vector<std::string> rowOf(const api::TrainingJob& job, bool has_namespace, WallTime now) {
  const auto& progress = job.status.progress;
  std::vector<std::string> row;
  if (has_namespace) row.push_back(job.meta.key.name_space);
  row.push_back(job.meta.key.name);
  row.push_back(stateOf(job));
  row.push_back(job.status.workers);
  const auto left = progress ? remaining(*progress, now) : std::nullopt;
  const bool trains = !job.status.isFinished();
  row.push_back(progress ? std::to_string(progress->percentage()) : "-");
  row.push_back(progress
                    ? std::to_string(progress->step) + "/" + std::to_string(progress->total_steps)
                    : "-");
  row.push_back(progress && progress->epoch > 0 ? std::to_string(progress->epoch) : "-");
  row.push_back(progress ? shortDecimal(progress->loss) : "-");
  row.push_back(progress && trains ? shortDecimal(progress->samples_per_second) : "-");
  row.push_back(left && trains ? durationText(*left) : "-");
  row.push_back(std::to_string(job.status.restarts));
  row.push_back(ageText(job.meta.created, now));
  return row;
}

using Jobs = std::map<std::string, api::TrainingJob>;  // by uid

std::vector<api::TrainingJob> sorted(const Jobs& jobs) {
  std::vector<api::TrainingJob> list;
  for (const auto& [uid, job] : jobs)
    list.push_back(job);
  std::sort(list.begin(), list.end(), [](const api::TrainingJob& a, const api::TrainingJob& b) {
    return std::pair(orderOf(a), a.meta.key) < std::pair(orderOf(b), b.meta.key);
  });
  return list;
}

Result<Jobs> fetchAll(const Cluster& cluster, const TopOptions& options) {
  Jobs jobs;
  if (!options.name.empty()) {
    const auto job = fetchJob(cluster, options.name);
    if (!job) return job.error();
    jobs[job->job.meta.uid] = job->job;
    return jobs;
  }
  const auto list =
      fetchJobs(cluster, options.all_namespaces ? std::string() : cluster.name_space, "");
  if (!list) return list.error();
  for (const FetchedJob& job : *list)
    jobs[job.job.meta.uid] = job.job;
  return jobs;
}

void draw(const Jobs& jobs, const Cluster& cluster, const TopOptions& options,
          const Console& console) {
  // Home, then what is left of the last picture is wiped.
  if (console.is_tty && !options.once) console.out << "\x1b[H\x1b[J";
  console.out << topText(sorted(jobs), options, cluster.wall_clock.now(), console.style)
              << std::flush;
}

void apply(Jobs& jobs, const Change& change) {
  auto fetched = readJob(change.object);
  if (!fetched) return;
  if (change.is_removed)
    jobs.erase(fetched->job.meta.uid);
  else
    jobs[fetched->job.meta.uid] = std::move(fetched->job);
}

bool isOver(const Jobs& jobs, const TopOptions& options) {
  return !options.name.empty() && std::all_of(jobs.begin(), jobs.end(), [](const auto& entry) {
    return entry.second.status.isFinished();
  });
}

int watchAll(Jobs jobs, const Cluster& cluster, const TopOptions& options, const Console& console) {
  Inbox<Change> inbox;
  WatchedList list;
  list.name_space = options.all_namespaces ? std::string() : cluster.name_space;
  if (!options.name.empty()) list.field_selector = "metadata.name=" + options.name;
  const auto watch = cluster.watch(list, [&inbox](Change change) { inbox.put(std::move(change)); });
  draw(jobs, cluster, options, console);
  TimePoint next = cluster.clock.now() + kTopBetween;
  bool is_stale = false;
  while (!isOver(jobs, options)) {
    // A terminal is drawn each second, for ages and remaining times; a log only on news.
    const bool has_deadline = is_stale || console.is_tty;
    const auto change = inbox.take(cluster.stop, has_deadline ? std::optional(next) : std::nullopt);
    if (cluster.stop.stop_requested()) return toInt(ExitCode::kInterrupted);
    if (change) {
      apply(jobs, *change);
      is_stale = true;
    }
    if (cluster.clock.now() < next) continue;
    if (is_stale || console.is_tty) draw(jobs, cluster, options, console);
    if (!console.out) return toInt(ExitCode::kInterrupted);  // nobody reads the pipe any more
    is_stale = false;
    next = cluster.clock.now() + kTopBetween;
  }
  draw(jobs, cluster, options, console);
  return toInt(ExitCode::kDone);
}

}  // namespace

std::string topText(const std::vector<api::TrainingJob>& jobs, const TopOptions& options,
                    WallTime now, const report::TextStyle& style) {
  std::vector<std::string> titles;
  if (options.all_namespaces) titles.emplace_back("NAMESPACE");
  for (const char* name : {"NAME", "STATE", "WORKERS", "PROGRESS(%)", "STEP", "EPOCH", "LOSS",
                           "SAMPLES/S", "ETA", "RESTARTS", "AGE"})
    titles.emplace_back(name);
  std::vector<std::vector<std::string>> rows;
  for (const api::TrainingJob& job : jobs)
    rows.push_back(rowOf(job, options.all_namespaces, now));
  // A line a job, as long as that is possible: what people miss least goes.
  for (const std::string_view title : {"EPOCH", "RESTARTS", "AGE", "STEP"}) {
    if (style.columns == 0 || report::widest(report::tableText(titles, rows, {})) <= style.columns)
      break;
    const auto at = std::ranges::find(titles, title) - titles.begin();
    titles.erase(titles.begin() + at);
    for (auto& row : rows)
      row.erase(row.begin() + at);
  }
  std::string text = report::tableText(titles, rows, style);
  if (!options.name.empty() && jobs.size() == 1 && jobs.front().status.progress) {
    constexpr int kWidest = 80;
    const int width = style.columns > 0 ? std::min(style.columns, kWidest) : kWidest;
    text += progressBar(jobs.front().status.progress->percentage(), width) + "\n";
  }
  return text;
}

int top(const Cluster& cluster, const TopOptions& options, const Console& console) {
  auto jobs = fetchAll(cluster, options);
  if (!jobs) return toInt(complain(console.err, jobs.error(), ExitCode::kFailed));
  if (options.once) {
    draw(*jobs, cluster, options, console);
    return toInt(ExitCode::kDone);
  }
  return watchAll(*std::move(jobs), cluster, options, console);
}

}  // namespace sumac::cli
