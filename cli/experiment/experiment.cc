#include "cli/experiment/experiment.h"

#include <utility>

#include "cli/document/document.h"
#include "cli/experiment/folder.h"
#include "cli/experiment/machine.h"
#include "cli/experiment/runner.h"
#include "cli/run/loopback.h"
#include "cli/terminal/terminal.h"
#include "common/base/sha256.h"
#include "common/base/text.h"

#include "experiment/report/tables.h"

namespace sumac::cli {
namespace {

/// What must not differ between the runs of one folder. Repetitions may: more can be added.
FolderIdentity identityOf(const ExperimentPlan& plan, const experiment::Origin& origin) {
  std::string all = std::to_string(plan.experiment.measurement.warmup_steps) + "\n";
  for (const auto& cell : plan.cells)
    all += experiment::combinationText(plan.experiment.axes, cell.values) + "\n" + cell.resolved;
  return {plan.experiment.name, sha256Hex(asBytes(all)), origin.version,
          origin.host + ", " + origin.cpu};
}

/// The command that measures an experiment again, or goes on with it.
std::string commandOf(const ExperimentOptions& options) {
  std::string command = "sumac experiment " + shellWord(options.file);
  for (const std::string& set : options.plan.sets)
    command += " --set " + shellWord(set);
  if (options.plan.most_cells != kMostCells)
    command += " --max-cells " + std::to_string(options.plan.most_cells);
  if (!options.output.empty()) command += " --output-dir " + shellWord(options.output.string());
  return command;
}

void printDryRun(const ExperimentPlan& plan, std::ostream& out) {
  const auto& measurement = plan.experiment.measurement;
  const auto repetitions = repetitionsOf(measurement);
  out << experiment::cellTable(plan.experiment.axes, plan.cells) << "\n"
      << counted(std::ssize(plan.cells), "cell") << ", each " << counted(repetitions.least, "run");
  if (repetitions.most > repetitions.least) out << " or up to " << repetitions.most;
  out << " of " << measurement.warmup_steps << " + " << measurement.steps
      << " steps; nothing was run" << std::endl;
}

ExitCode complain(std::ostream& err, const Error& error, ExitCode code) {
  err << "error: " << error.message << std::endl;
  return code;
}

}  // namespace

ExitCode runExperiment(const ExperimentOptions& options, const Clock& clock, Streams streams) {
  const auto text = readDocument(options.file, streams.in);
  if (!text) return complain(streams.err, text.error(), ExitCode::kUsage);
  const auto plan = planExperiment(*text, options.file, options.plan, streams.err);
  if (!plan) return ExitCode::kBadConfiguration;
  if (options.is_dry_run) {
    printDryRun(*plan, streams.out);
    return ExitCode::kDone;
  }
  if (const auto reachable = checkLoopback(); !reachable)
    return complain(streams.err, reachable.error(), ExitCode::kFailed);
  const auto origin = thisMachine(commandOf(options));
  const auto path = options.output.empty()
                        ? std::filesystem::path("experiments") / plan->experiment.name
                        : options.output;
  const auto folder = ExperimentFolder::open(path, identityOf(*plan, origin));
  if (!folder) return complain(streams.err, folder.error(), ExitCode::kUsage);
  return runCells(*plan, *folder, {origin, options.programs, options.ask_memory}, clock, streams);
}

}  // namespace sumac::cli
