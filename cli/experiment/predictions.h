#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <vector>

#include "cli/experiment/prepared_experiment.h"
#include "job/profile/profile_use.h"

#include "experiment/findings/summary.h"
#include "experiment/predict/cell_prediction.h"

namespace sumac::cli {

/// Reads profiles of `sumac profile`. Fails with kNotFound for one that is not there, with kInvalid
/// for one that cannot be read or is not what is needed.
Result<std::vector<JobProfile>> readProfiles(const std::vector<std::filesystem::path>& files,
                                             const ProfileNeed& need);

/// Where predictions come from.
struct PredictionOptions {
  std::vector<std::filesystem::path> profiles;  // none: nothing is predicted
  std::vector<int> fit;  // numbers of cells to fit costs to, once they have been measured
};

/// Whether these options can be used with this experiment. Fails with kInvalid and one sentence.
Result<void> checkOptions(const PredictionOptions& options, const PreparedExperiment& prepared);

/// Whether enough of the cells to fit have been predicted. Fails with kInvalid and one sentence.
/// Requires numbers of cells.
Result<void> checkFit(const std::vector<int>& fit,
                      const std::vector<experiment::CellPrediction>& predictions);

/// The predictions of an experiment's cells, as they become better.
class Predictions {
 public:
  /// Reads the profiles and predicts each cell. Fails with kNotFound for one that is not there,
  /// with kInvalid for one that cannot be read or is of another version or machine, and says so in
  /// one sentence. `programs` is the folder of sumac-worker. Requires cells, and
  /// options that checkOptions() accepts.
  static Result<Predictions> make(const PredictionOptions& options,
                                  const PreparedExperiment& prepared,
                                  const std::filesystem::path& programs);

  /// One for each cell; empty without profiles.
  const std::vector<experiment::CellPrediction>& cells() const { return cells_; }
  /// Of each cell, in mini-batches a second; empty without profiles.
  std::vector<std::optional<double>> batchesPerSecond() const;

  /// Emulated computing of the cells that are predicted takes what their profiles say.
  void emulateByProfiles(std::vector<experiment::Cell>& cells) const;

  /// Puts the predictions beside what was measured; fits the costs anew where all cells to fit have
  /// been.
  void addTo(std::vector<experiment::CellOutcome>& outcomes);

  const experiment::PredictionBasis& basis() const { return basis_; }

 private:
  void fitTo(const std::vector<experiment::MeasuredCell>& measured);

  std::vector<experiment::CellPrediction> cells_;
  std::vector<experiment::CellPrediction> unfitted_;  // by the profiles alone
  std::vector<std::filesystem::path> profiles_;
  std::vector<int> fit_cells_;
  experiment::PredictionBasis basis_;
};

}  // namespace sumac::cli
