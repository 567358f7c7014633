#include "cli/cluster/get.h"

#include <map>
#include <ostream>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/inbox.h"
#include "cli/cluster/job_columns.h"

namespace sumac::cli {
namespace {

/// Prints jobs in one form: those that exist, then changes.
class Printer {
 public:
  Printer(const GetOptions& options, const Console& console, const WallClock& clock)
      : form_(options.form),
        columns_{options.all_namespaces, options.form == Form::kWide},
        table_(jobHeader(columns_)),
        is_growing_(options.watch),
        console_(console),
        clock_(clock) {}

  void print(const std::vector<FetchedJob>& jobs, bool is_one) {
    if (form_ == Form::kTable || form_ == Form::kWide) {
      std::vector<std::vector<std::string>> rows;
      for (const FetchedJob& job : jobs)
        rows.push_back(jobRow(job.job, columns_, clock_.now()));
      console_.out << table_.add(rows, is_growing_ ? report::TextStyle() : console_.style);
    } else if (form_ == Form::kName) {
      for (const FetchedJob& job : jobs)
        console_.out << nameText(job.job.meta.key.name) << "\n";
    } else if (is_one) {
      console_.out << objectText(*jobs.front().object, form_);
    } else {
      std::vector<nlohmann::json> objects;
      for (const FetchedJob& job : jobs)
        objects.push_back(*job.object);
      console_.out << listText(objects, form_);
    }
    console_.out.flush();
  }

  /// Of a job that came, changed or went.
  void printChange(FetchedJob job) {
    if (form_ == Form::kYaml) console_.out << "---\n";
    print({std::move(job)}, /*is_one=*/true);
  }

 private:
  const Form form_;
  const Columns columns_;
  GrowingTable table_;
  const bool is_growing_;
  const Console& console_;  // outlives us
  const WallClock& clock_;  // outlives us
};

bool isAsked(const GetOptions& options, const std::string& name) {
  return options.names.empty() ||
         std::find(options.names.begin(), options.names.end(), name) != options.names.end();
}

/// Prints what changes after `shown`, whose values are resourceVersions by uid.
void follow(const Cluster& cluster, const GetOptions& options,
            std::map<std::string, std::string> shown, Printer& printer, const Console& console) {
  Inbox<Change> inbox;
  WatchedList list;
  list.name_space = options.all_namespaces ? std::string() : cluster.name_space;
  list.label_selector = options.selector;
  if (options.names.size() == 1) list.field_selector = "metadata.name=" + options.names.front();
  const auto watch = cluster.watch(list, [&inbox](Change change) { inbox.put(std::move(change)); });
  // Until Ctrl-C, or until the reader of the pipe ends.
  while (auto change = console.out ? inbox.take(cluster.stop) : std::nullopt) {
    auto job = readJob(std::move(change->object));
    if (!job || !isAsked(options, job->job.meta.key.name)) continue;
    if (change->is_removed) {
      // A last line that says so, whatever the state was.
      if (!job->job.meta.deleted) job->job.meta.deleted = cluster.wall_clock.now();
    } else if (std::exchange(shown[job->job.meta.uid], job->job.meta.resource_version) ==
               job->job.meta.resource_version) {
      continue;
    }
    printer.printChange(*std::move(job));
  }
}

/// The jobs that were asked for; words for those that are not there go to standard error.
std::vector<FetchedJob> fetchNamed(const Cluster& cluster, const GetOptions& options,
                                   const Console& console) {
  std::vector<FetchedJob> jobs;
  for (const std::string& name : options.names) {
    auto job = fetchJob(cluster, name);
    if (job) {
      jobs.push_back(*std::move(job));
    } else {
      console.err << "error: " << job.error().message << std::endl;
    }
  }
  return jobs;
}

std::string placeOf(const Cluster& cluster, const GetOptions& options) {
  return options.all_namespaces ? "any namespace" : "namespace " + cluster.name_space;
}

}  // namespace

int get(const Cluster& cluster, const GetOptions& options, const Console& console) {
  std::vector<FetchedJob> jobs;
  if (options.names.empty()) {
    auto all = fetchJobs(cluster, options.all_namespaces ? std::string() : cluster.name_space,
                         options.selector);
    if (!all) return toInt(complain(console.err, all.error(), ExitCode::kFailed));
    jobs = *std::move(all);
  } else {
    jobs = fetchNamed(cluster, options, console);
  }
  const bool is_complete = options.names.empty() || jobs.size() == options.names.size();
  const bool is_table = options.form == Form::kTable || options.form == Form::kWide;
  Printer printer(options, console, cluster.wall_clock);
  if (jobs.empty() && is_complete && is_table) {
    console.err << "No jobs in " << placeOf(cluster, options) << "." << std::endl;
  }
  if (!jobs.empty() || (is_complete && !is_table)) {
    printer.print(jobs, /*is_one=*/options.names.size() == 1);
  }
  if (!is_complete) return toInt(ExitCode::kFailed);
  if (!options.watch) return toInt(ExitCode::kDone);
  std::map<std::string, std::string> shown;
  for (const FetchedJob& job : jobs)
    shown[job.job.meta.uid] = job.job.meta.resource_version;
  follow(cluster, options, std::move(shown), printer, console);
  return toInt(ExitCode::kInterrupted);
}

}  // namespace sumac::cli
