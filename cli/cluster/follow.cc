#include "cli/cluster/follow.h"

#include <ostream>

#include "cli/cluster/fetch.h"
#include "cli/cluster/inbox.h"
#include "cli/cluster/progress_text.h"
#include "cli/cluster/story.h"

namespace sumac::cli {
namespace {

/// The last line of a terminal, drawn again and again; nothing where there is no terminal.
class LiveLine {
 public:
  explicit LiveLine(const Console& console) : console_(console) {}

  void draw(const std::string& text) {
    if (!console_.is_err_tty) return;
    const auto width = static_cast<std::size_t>(console_.columns > 1 ? console_.columns - 1 : 79);
    console_.err << "\r\x1b[K" << text.substr(0, width) << std::flush;
  }
  void clear() {
    if (console_.is_err_tty) console_.err << "\r\x1b[K" << std::flush;
  }

 private:
  const Console& console_;  // outlives us
};

}  // namespace

int followToEnd(const Cluster& cluster, const api::ObjectKey& key, const std::string& uid,
                bool has_progress, const Console& console) {
  Inbox<Change> inbox;
  WatchedList list;
  list.name_space = key.name_space;
  list.field_selector = "metadata.name=" + key.name;
  const auto watch = cluster.watch(list, [&inbox](Change change) { inbox.put(std::move(change)); });
  // On a terminal the live line tells the progress.
  Story story(has_progress && !console.is_err_tty, cluster.wall_clock.now());
  LiveLine live(console);
  while (const auto change = inbox.take(cluster.stop)) {
    const auto fetched = readJob(change->object);
    if (!fetched || fetched->job.meta.uid != uid) continue;
    const api::TrainingJob& job = fetched->job;
    const WallTime now = cluster.wall_clock.now();
    live.clear();
    for (const std::string& line : story.onState(job, now))
      console.err << line << std::endl;
    if (const auto end = endOf(job.status)) {
      if (job.status.result) console.out << resultText(*job.status.result) << std::endl;
      return toInt(*end);
    }
    if (change->is_removed) {
      console.err << "error: the job was deleted before it had ended" << std::endl;
      return toInt(ExitCode::kFailed);
    }
    if (has_progress && job.status.progress) live.draw(progressText(*job.status.progress, now));
  }
  live.clear();
  console.err << "The job continues; `sumac get " << key.name << " -n " << key.name_space
              << " -w` follows it, `sumac delete` ends it." << std::endl;
  return toInt(ExitCode::kInterrupted);
}

}  // namespace sumac::cli
