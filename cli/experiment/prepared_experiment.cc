#include "cli/experiment/prepared_experiment.h"

#include <filesystem>
#include <utility>

#include "base/core/complain.h"
#include "base/core/file.h"
#include "base/core/units.h"
#include "base/yaml/reader.h"
#include "job/document/job.h"

#include "experiment/document/read.h"

namespace sumac::cli {
namespace {

std::string shownName(const std::string& file) {
  return file == "-" ? "<stdin>" : file;
}

std::optional<experiment::Experiment> readDocument(const std::string& text, const std::string& file,
                                                   std::ostream& err) {
  const auto load = [&file](const std::string& path) -> Result<experiment::NamedFile> {
    const auto folder = std::filesystem::path(file == "-" ? "" : file).parent_path();
    const std::string name = (folder / path).string();
    auto job = readTextFile(name, yaml::kMaxBytes);
    if (!job) return job.error();
    return experiment::NamedFile{name, *std::move(job)};
  };
  auto reading = experiment::readExperiment(text, shownName(file), load);
  if (reading.experiment) return std::move(reading.experiment);
  err << job::problemList(reading.problems) << counted(std::ssize(reading.problems), "problem")
      << " in " << shownName(file) << std::endl;
  return std::nullopt;
}

/// What changes every cell's job. As in `sumac run`, nothing is encrypted here unless the job says
/// so.
job::Overrides overridesOf(const PreparationOptions& options) {
  std::error_code ignored;
  job::Overrides overrides;
  overrides.sets = options.sets;
  if (options.is_for_cluster) return overrides;
  overrides.transport = "none";
  overrides.base = std::filesystem::current_path(ignored);
  return overrides;
}

}  // namespace

std::variant<PreparedExperiment, ExitCode> prepareExperiment(const std::string& text,
                                                             const std::string& file,
                                                             const PreparationOptions& options,
                                                             std::ostream& err) {
  auto experiment = readDocument(text, file, err);
  if (!experiment) return ExitCode::kBadConfiguration;
  if (const auto left = experiment::keepOnly(options.only, experiment->axes); !left)
    return complain(err, left.error(), ExitCode::kUsage);
  if (experiment::countCells(experiment->axes, options.most_cells) > options.most_cells) {
    err << "error: the axes of " << shownName(file) << " have more than " << options.most_cells
        << " combinations; --max-cells allows more" << std::endl;
    return ExitCode::kBadConfiguration;
  }
  auto made = experiment::makeCells(*experiment, overridesOf(options), options.is_for_cluster);
  for (const std::string& warning : made.warnings)
    err << "warning: " << warning << "\n";
  if (made.problems.empty())
    return PreparedExperiment{*std::move(experiment), std::move(made.cells)};
  for (const std::string& problem : made.problems)
    err << problem << "\n";
  err << counted(std::ssize(made.problems), "problem") << " in the jobs of " << shownName(file)
      << "; nothing was run" << std::endl;
  return ExitCode::kBadConfiguration;
}

int validateExperiment(const std::string& text, const std::string& file,
                       const PreparationOptions& options, std::ostream& out, std::ostream& err) {
  const auto made = prepareExperiment(text, file, options, err);
  if (const auto* const code = std::get_if<ExitCode>(&made)) return toInt(*code);
  const auto& prepared = std::get<PreparedExperiment>(made);
  out << shownName(file) << " is valid: Experiment " << prepared.experiment.name << ", "
      << counted(std::ssize(prepared.cells), "cell") << "\n";
  return toInt(ExitCode::kDone);
}

}  // namespace sumac::cli
