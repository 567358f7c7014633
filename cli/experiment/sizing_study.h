#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/report/report.h"
#include "cli/experiment/folder.h"
#include "cli/experiment/prepared_experiment.h"
#include "job/profile/job_profile.h"

#include "experiment/findings/findings.h"
#include "experiment/report/sizing_report.h"
#include "experiment/simulate/simulate.h"

namespace sumac::cli {

/// What is simulated by; empty: nothing is.
struct SimulatedBy {
  std::vector<JobProfile> profiles;
  std::vector<std::string> files;  // of these
};

/// Reads them. Fails as readProfiles() does. Of another machine they are as good: it is simulated.
Result<SimulatedBy> readSimulatedBy(const std::vector<std::filesystem::path>& files);

/// What a comparison of sizes needs beside its runs.
struct SizingStudy {
  std::vector<std::string> left_out;                 // for each cell why it does not run, or empty
  std::vector<experiment::SimulatedCell> simulated;  // of each cell; empty: nothing is simulated
  SimulatedBy by = {};
};

/// Whether all of it can be measured with jobs on this machine, but for what leftOutHere() has.
/// Fails with kUnsupported, and says where the document has what cannot be and what to do.
Result<void> checkSizingHere(const PreparedExperiment& prepared);

/// The same of jobs in a cluster, of which `parallel` run at once.
Result<void> checkSizingOnCluster(const PreparedExperiment& prepared, int parallel);

/// Whether an event leaves room for fewer workers.
bool limitsRoom(const experiment::Experiment& experiment);

/// Of each cell why it cannot run in a cluster; empty where it can. `has_metrics`: the cluster
/// serves metrics of pods.
std::vector<std::string> leftOutOnCluster(const std::vector<experiment::Cell>& cells,
                                          bool has_metrics);

/// Of each cell why it cannot run on this machine; empty where it can.
std::vector<std::string> leftOutHere(const std::vector<experiment::Cell>& cells);

/// The cells on virtual time as they would run on this machine, by these profiles, without noise.
std::vector<experiment::SimulatedCell> simulatedHere(const PreparedExperiment& prepared,
                                                     const std::vector<JobProfile>& profiles);

/// Writes all files of the answer, and returns that.
Result<report::Report> writeSizing(const ExperimentFolder& folder,
                                   const experiment::SizingFindings& findings,
                                   const experiment::Origin& origin);

}  // namespace sumac::cli
