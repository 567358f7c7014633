#include "cli/experiment/runner.h"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <map>
#include <utility>

#include "base/core/file.h"
#include "base/core/text.h"
#include "base/core/units.h"
#include "base/report/html.h"
#include "base/report/text.h"
#include "base/report/values.h"
#include "cli/experiment/live_view.h"
#include "cli/experiment/repeat.h"

#include "experiment/report/cell_table.h"
#include "experiment/report/experiment_report.h"
#include "experiment/report/labels.h"

namespace sumac::cli {
namespace {

using experiment::Metric;
using experiment::RunId;

ExitCode endedBy(int signal) {
  return signal == SIGTERM ? ExitCode::kStopped : ExitCode::kInterrupted;
}

/// The nodes that the members of these runs ran on, by name.
std::vector<experiment::NodeFacts> nodesOf(const std::vector<experiment::CellOutcome>& outcomes) {
  std::map<std::string, experiment::NodeFacts> nodes;
  for (const auto& outcome : outcomes) {
    for (const auto& run : outcome.runs) {
      for (const auto& facts : run.node_facts)
        nodes.try_emplace(facts.name, facts);
    }
  }
  std::vector<experiment::NodeFacts> sorted;
  for (auto& [name, facts] : nodes)
    sorted.push_back(std::move(facts));
  return sorted;
}

/// Why a run has no value of the metric.
std::string untoldText(Metric metric) {
  return "the job's result tells no " + std::string(phraseOf(metric)) +
         (metric == Metric::kValidationPerplexity ? ": does its text have a valid.txt?"
                                                  : ": does data.validation hold back a sample?");
}

/// One experiment under way: carries out what the schedule says.
class Runner {
 public:
  Runner(const PreparedExperiment& prepared, const ExperimentFolder& folder, RunnerOptions options,
         CellRunner& cells, Streams streams)
      : prepared_(prepared),
        folder_(folder),
        origin_(std::move(options.origin)),
        how_to_go_on_(std::move(options.how_to_go_on)),
        style_(options.style),
        cells_(cells),
        streams_(streams),
        view_(streams.err, streams.terminal),
        schedule_(static_cast<int>(prepared.cells.size()),
                  repetitionsOf(prepared.experiment.measurement),
                  prepared.experiment.measurement.seed),
        outcomes_(prepared.cells.size()),
        predictions_(std::move(options.predictions)),
        sizing_(std::move(options.sizing)) {
    if (!sizing_) return;
    for (std::size_t i = 0; i < sizing_->left_out.size(); ++i)
      if (!sizing_->left_out[i].empty()) schedule_.failed(static_cast<int>(i) + 1);
  }

  ExitCode run() {
    if (const auto loaded = loadFinished(); !loaded) return giveUp(loaded.error());
    // What is there from an earlier start must not look complete while more is measured.
    if (schedule_.left() > 0) {
      if (const auto written = writeResults(/*is_complete=*/false); !written)
        return giveUp(written.error());
    }
    while (beginRuns()) {
      const EndedRun ended = await();
      --under_way_;
      spent_ += ended.time;
      ++ran_;
      if (!ended.note.empty()) view_.note(ended.note);
      if (const auto* const failure = std::get_if<RunFailure>(&ended.outcome)) {
        if (failure->stop_signal != 0) return stopped(failure->stop_signal);
        if (const auto kept = takeFailure(ended.id, *failure); !kept) return giveUp(kept.error());
      } else if (const auto kept = takeFigures(ended.id, std::get<0>(ended.outcome)); !kept) {
        return giveUp(kept.error());
      }
    }
    if (signal_ != 0) return stopped(signal_);
    return conclude();
  }

 private:
  const experiment::Cell& cellOf(RunId run) const {
    return prepared_.cells[static_cast<std::size_t>(run.cell - 1)];
  }
  experiment::CellOutcome& outcomeOf(RunId run) {
    return outcomes_[static_cast<std::size_t>(run.cell - 1)];
  }
  std::string nameOf(RunId run) const {
    return experiment::combinationText(prepared_.experiment.axes, cellOf(run).values) + ", run " +
           std::to_string(run.repetition);
  }

  Result<void> loadFinished();
  bool beginRuns();
  EndedRun await();
  Metric metric() const { return prepared_.experiment.measurement.metric; }
  void showNext(RunId run);
  std::string left() const;
  Result<void> takeFigures(RunId run, const experiment::RunFigures& figures);
  Result<void> takeFailure(RunId run, const RunFailure& failure);
  Result<report::Report> writeResults(bool is_complete);
  experiment::Findings findings();
  experiment::SizingFindings sizingFindings();
  report::Table table();
  ExitCode stopped(int signal);
  ExitCode giveUp(const Error& error);
  ExitCode conclude();

  const PreparedExperiment& prepared_;  // outlives us
  const ExperimentFolder& folder_;      // outlives us
  experiment::Origin origin_;
  const std::string how_to_go_on_;
  const report::TextStyle style_;
  CellRunner& cells_;  // outlives us
  Streams streams_;
  LiveView view_;
  experiment::Schedule schedule_;
  std::vector<experiment::CellOutcome> outcomes_;
  std::vector<experiment::CellSummary> summaries_;  // of findings()
  Predictions predictions_;
  const std::optional<SizingStudy> sizing_;
  experiment::MeasuredSizing measured_;  // of sizingFindings()
  int signal_ = 0;                       // that came between two runs
  int under_way_ = 0;
  Duration spent_{};  // in runs of this process
  int ran_ = 0;
};

/// Takes over what an earlier process measured.
Result<void> Runner::loadFinished() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_.running(), ignored);  // of one that was killed
  const int most = repetitionsOf(prepared_.experiment.measurement).most;
  int found = 0;
  for (int cell = 1; cell <= static_cast<int>(prepared_.cells.size()); ++cell) {
    for (int repetition = 1; repetition <= most; ++repetition) {
      const RunId run{cell, repetition};
      auto figures = folder_.load(run);
      if (!figures) return figures.error();
      if (!*figures) continue;
      const auto value = valueOf(metric(), **figures);
      if (!value) {
        return Error{ErrorCode::kInvalid, folder_.path().string() + ": the file of " + nameOf(run) +
                                              " tells no " + std::string(phraseOf(metric())) +
                                              "; remove it, and the run is measured again"};
      }
      schedule_.finished(run, *value);
      outcomeOf(run).runs.push_back(**std::move(figures));
      ++found;
    }
  }
  predictions_.addTo(outcomes_);
  if (!folder_.note().empty()) view_.note(folder_.note());
  view_.note(prepared_.experiment.name + ": " + counted(std::ssize(prepared_.cells), "cell") +
             ", " + counted(schedule_.left(), "run") + " to do; output in " +
             folder_.path().string() + keptText(found, folder_.countRuns()));
  return {};
}

/// Begins what there is room for. Returns whether a run is under way.
bool Runner::beginRuns() {
  while (signal_ == 0 && under_way_ < cells_.most()) {
    const auto next = schedule_.next();
    if (!next) break;
    signal_ = cells_.takeSignal();
    if (signal_ != 0) break;
    showNext(*next);
    schedule_.began(*next);
    cells_.begin({*next, &cellOf(*next), folder_.running(*next)});
    ++under_way_;
  }
  return under_way_ > 0;
}

/// A run that does not tell what cells are compared by has failed.
EndedRun Runner::await() {
  EndedRun ended = cells_.await();
  const auto* const figures = std::get_if<experiment::RunFigures>(&ended.outcome);
  if (figures != nullptr && !valueOf(metric(), *figures))
    ended.outcome = RunFailure{untoldText(metric())};
  return ended;
}

/// What remains, once a run has shown how long one takes.
std::string Runner::left() const {
  const int runs = schedule_.left();
  std::string text = counted(runs, "run") + " left";
  if (ran_ == 0 || runs == 0) return text;
  // As many at once as there may be.
  const int rounds = (runs + cells_.most() - 1) / cells_.most();
  const double seconds = std::chrono::duration<double>(spent_).count() / ran_ * rounds;
  return text + ", " + aboutText(seconds) + " left";
}

void Runner::showNext(RunId run) {
  view_.show(report::toText(table(), {.has_utf8 = style_.has_utf8}),
             "running " + nameOf(run) + "; " + left());
}

Result<void> Runner::takeFigures(RunId run, const experiment::RunFigures& figures) {
  if (const auto saved = folder_.save(run, figures); !saved) return saved.error();
  const double value = *valueOf(metric(), figures);  // await() makes sure
  schedule_.finished(run, value);
  outcomeOf(run).runs.push_back(figures);
  predictions_.addTo(outcomes_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_.running(run), ignored);
  std::filesystem::remove_all(folder_.failed(run), ignored);            // of an earlier start
  std::filesystem::remove(folder_.failed(run).parent_path(), ignored);  // where it is empty
  if (streams_.terminal.is_tty) return {};
  const auto batch_size = static_cast<double>(cellOf(run).job.training.batch_size);
  view_.note(nameOf(run) + ": " +
             (isOfLearning(metric())
                  ? std::string(phraseOf(metric())) + " " + measuredText(metric(), value)
              : sizing_ ? durationText(figures.seconds)
                        : readableText(value * batch_size) + " samples/s") +
             "; " + left());
  return {};
}

Result<void> Runner::takeFailure(RunId run, const RunFailure& failure) {
  const auto kept = folder_.failed(run);
  std::error_code ignored;
  std::filesystem::remove_all(kept, ignored);
  std::filesystem::create_directories(kept.parent_path(), ignored);
  std::filesystem::rename(folder_.running(run), kept, ignored);
  schedule_.failed(run.cell);
  outcomeOf(run).failure = failure.cause;
  std::string line = nameOf(run) + " failed: ";
  for (std::size_t begin = 0; begin <= failure.cause.size();) {  // words of a pod may be anything
    const std::size_t end = std::min(failure.cause.find('\n', begin), failure.cause.size());
    line += (begin > 0 ? "\n" : "") +
            printable(std::string_view(failure.cause).substr(begin, end - begin));
    begin = end + 1;
  }
  if (std::filesystem::exists(kept, ignored)) line += "\n    logs in " + kept.string();
  view_.note(line);
  return requireWritable(folder_.path());  // a full disk would fail every other cell too
}

/// Of what has been measured so far; valid until it is asked for again.
experiment::Findings Runner::findings() {
  summaries_ = summarize(prepared_.experiment, prepared_.cells, outcomes_);
  return {prepared_.experiment, prepared_.cells, outcomes_, summaries_};
}

/// The same of a comparison of sizes.
experiment::SizingFindings Runner::sizingFindings() {
  measured_ = measuredSizing(prepared_.experiment, prepared_.cells, outcomes_, sizing_->left_out,
                             sizing_->simulated);
  return {prepared_.experiment, prepared_.cells,   measured_.cells,
          sizing_->by.profiles, sizing_->by.files, &measured_};
}

/// What is asked for.
report::Table Runner::table() {
  if (sizing_) return sizingTable(sizingFindings());
  const auto found = findings();
  return isOfLearning(metric()) ? learnedTable(found) : resultTable(found);
}

/// Writes all files of the findings; the report is that of the page.
Result<report::Report> Runner::writeResults(bool is_complete) {
  origin_.nodes = nodesOf(outcomes_);
  origin_.predictions = predictions_.basis();
  if (sizing_) {
    const auto found = sizingFindings();
    measured_.is_complete = is_complete;
    return writeSizing(folder_, found, origin_);
  }
  const auto found = findings();
  folder_.removePictures();  // of other findings
  std::vector<std::pair<std::filesystem::path, std::string>> files{
      {folder_.csv(), report::toCsv(resultTable(found))},
      {folder_.results(), resultsJson(found, origin_, is_complete)}};
  if (!prepared_.experiment.scale.empty())
    files.emplace_back(folder_.scale(), experiment::scaleCsv(prepared_.cells, outcomes_));
  auto answer = experimentReport(found, origin_, is_complete);
  for (const auto& [name, drawing] : answer.pictures)
    files.emplace_back(folder_.picture(name), report::svgFile(drawing));
  files.emplace_back(folder_.report(), report::toPage(answer.report));
  for (const auto& [file, text] : files) {
    if (const auto written = replaceFile(file, asBytes(text)); !written) return written.error();
  }
  return std::move(answer.report);
}

ExitCode Runner::stopped(int signal) {
  view_.note(signal == SIGINT ? "stopped by Ctrl-C" : "stopped by a signal");
  for (; under_way_ > 0; --under_way_) {
    const EndedRun ended = await();
    if (!ended.note.empty()) view_.note(ended.note);
    const auto* const figures = std::get_if<experiment::RunFigures>(&ended.outcome);
    if (figures == nullptr) continue;  // it was stopped, too
    if (const auto kept = takeFigures(ended.id, *figures); !kept) return giveUp(kept.error());
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_.running(), ignored);
  if (const auto written = writeResults(/*is_complete=*/false); !written)
    return giveUp(written.error());
  if (!hasRuns(outcomes_)) {
    streams_.err << nothingMeasuredText(failedCells(outcomes_)) << "; to begin again"
                 << how_to_go_on_ << std::endl;
    return endedBy(signal);
  }
  streams_.out << report::toText(table(), style_) << "\nThis is what was measured; "
               << folder_.report().string() << " shows it." << std::endl;
  streams_.err << "what was measured is kept; to go on" << how_to_go_on_ << std::endl;
  return endedBy(signal);
}

ExitCode Runner::giveUp(const Error& error) {
  view_.note("error: " + error.message);
  streams_.err << "finished runs are kept; once the cause is gone, to go on" << how_to_go_on_
               << std::endl;
  return ExitCode::kFailed;
}

ExitCode Runner::conclude() {
  view_.finish();
  std::error_code ignored;
  std::filesystem::remove_all(folder_.running(), ignored);
  const auto failed = failedCells(outcomes_);
  const auto written = writeResults(/*is_complete=*/failed == 0);
  if (!written) return giveUp(written.error());
  streams_.out << report::toText(*written, style_) << "\n"
               << folder_.report().string()
               << " has the pictures; cells.csv and results.json beside it have all figures."
               << std::endl;
  if (failed == 0) return ExitCode::kDone;
  streams_.err << failureText(failed) << std::endl;
  return ExitCode::kFailed;
}

}  // namespace

ExitCode runCells(const PreparedExperiment& prepared, const ExperimentFolder& folder,
                  RunnerOptions options, CellRunner& cells, Streams streams) {
  return Runner(prepared, folder, std::move(options), cells, streams).run();
}

}  // namespace sumac::cli
