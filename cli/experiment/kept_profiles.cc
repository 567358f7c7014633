#include "cli/experiment/kept_profiles.h"

#include <set>
#include <string>
#include <utility>

#include "base/core/complain.h"
#include "cli/plan/kept_profile.h"
#include "job/document/yaml_writer.h"

namespace sumac::cli {

std::variant<std::vector<std::filesystem::path>, ExitCode> keptProfiles(
    const ExperimentOptions& options, const PreparedExperiment& prepared, Streams streams) {
  const ThisMachine machine = thisMachine(options.programs);
  std::vector<std::filesystem::path> files;
  std::set<std::string> networks;
  for (const experiment::Cell& cell : prepared.cells) {
    if (!networks.insert(cell.network + job::toYaml(cell.resolved->at("spec").at("training")))
             .second)
      continue;
    job::Reading reading;
    reading.job = cell.job;
    reading.resolved = cell.resolved;
    reading.document = cell.document;
    const auto here = machine.look(cell.resolved.text());
    if (!here) return complain(streams.err, here.error(), ExitCode::kFailed);
    PlanOptions plan;
    plan.most_workers = experiment::workersOf(cell).second;
    auto kept = keptProfile(plan, reading, *here, machine, streams);
    if (const auto* const code = std::get_if<ExitCode>(&kept)) return *code;
    files.push_back(std::get<std::filesystem::path>(std::move(kept)));
  }
  return files;
}

}  // namespace sumac::cli
