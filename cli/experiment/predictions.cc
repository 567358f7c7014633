#include "cli/experiment/predictions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <span>
#include <utility>

#include "base/core/file.h"
#include "base/core/units.h"
#include "cli/profile/profile.h"
#include "job/profile/disturbance.h"
#include "job/profile/profile_json.h"
#include "job/profile/profile_use.h"

namespace sumac::cli {
namespace {

constexpr std::size_t kFittedCosts = 3;  // those of experiment::fitTo()

Result<JobProfile> readProfile(const std::filesystem::path& file) {
  const auto text = readTextFile(file, kMaxProfileBytes);
  if (!text) return text.error();
  auto profile = profileFromJson(*text);
  if (!profile) return profile.error().within(file.string());
  return profile;
}

/// Whether the fit says otherwise of any cell that was measured.
bool changesAny(const std::vector<experiment::MeasuredCell>& measured,
                const std::vector<experiment::CellPrediction>& before,
                const std::vector<experiment::CellPrediction>& after) {
  constexpr double kLeastChange = 1e-6;  // far below what can be measured
  return std::ranges::any_of(measured, [&](const experiment::MeasuredCell& cell) {
    const auto index = static_cast<std::size_t>(cell.number - 1);
    const double from = before.at(index).batches_per_second.value_or(1);
    const double to = after.at(index).batches_per_second.value_or(1);
    return std::abs(to / from - 1) > kLeastChange;
  });
}

}  // namespace

Result<std::vector<JobProfile>> readProfiles(const std::vector<std::filesystem::path>& files,
                                             const ProfileNeed& need) {
  std::vector<JobProfile> profiles;
  for (const auto& file : files) {
    auto profile = readProfile(file);
    if (!profile) return profile.error();
    if (const auto why = whyNot(*profile, need); !why.empty())
      return Error{ErrorCode::kInvalid, file.string() + ": " + why};
    profiles.push_back(*std::move(profile));
  }
  return profiles;
}

Result<void> checkOptions(const PredictionOptions& options, const PreparedExperiment& prepared) {
  const auto invalid = [](std::string message) {
    return Error{ErrorCode::kInvalid, std::move(message)};
  };
  if (options.profiles.empty() && !options.fit.empty())
    return invalid("--fit needs a profile: give one with --profile");
  if (!options.profiles.empty() && !prepared.experiment.scale.empty()) {
    return invalid(
        "a job whose number of workers changes cannot be predicted; leave out --profile");
  }
  for (const int cell : options.fit) {
    if (cell >= 1 && cell <= std::ssize(prepared.cells)) continue;
    return invalid("--fit " + std::to_string(cell) + ": there are cells 1 to " +
                   std::to_string(prepared.cells.size()));
  }
  const std::set<int> cells(options.fit.begin(), options.fit.end());
  if (options.fit.empty()) return {};
  if (cells.size() < options.fit.size()) return invalid("--fit names a cell twice");
  if (cells.size() >= kFittedCosts) return {};
  return invalid("--fit needs at least " + std::to_string(kFittedCosts) +
                 " cells, since it fits as many costs: what a step costs, how much longer "
                 "computing takes, and how much longer a byte takes");
}

Result<void> checkFit(const std::vector<int>& fit,
                      const std::vector<experiment::CellPrediction>& predictions) {
  std::string why;
  std::size_t predicted = 0;
  for (const int number : fit) {
    const auto& cell = predictions.at(static_cast<std::size_t>(number - 1));
    if (cell.batches_per_second) {
      ++predicted;
    } else if (why.empty()) {
      why = "; cell " + std::to_string(number) + ": " + cell.why_not;
    }
  }
  if (fit.empty() || predicted >= kFittedCosts) return {};
  return Error{ErrorCode::kInvalid,
               "--fit: only " + counted(static_cast<std::int64_t>(predicted), "cell") +
                   " of these can be predicted, and " + std::to_string(kFittedCosts) +
                   " costs are to be fitted" + why};
}

Result<Predictions> Predictions::make(const PredictionOptions& options,
                                      const PreparedExperiment& prepared,
                                      const std::filesystem::path& programs) {
  Predictions predictions;
  if (options.profiles.empty()) return predictions;
  const auto here = profileHere(programs, prepared.cells.front().resolved.text());
  if (!here) return here.error();
  const auto profiles = readProfiles(
      options.profiles, {.version = here->version, .machine = here->machine, .subject = {}});
  if (!profiles) return profiles.error();
  predictions.unfitted_ = experiment::predictCells(prepared.cells, *profiles);
  predictions.cells_ = predictions.unfitted_;
  predictions.profiles_ = options.profiles;
  predictions.fit_cells_ = options.fit;
  for (std::size_t i = 0; i < profiles->size(); ++i) {
    if (const std::string at = disturbanceText((*profiles)[i]); !at.empty())
      predictions.basis_.disturbed.push_back(options.profiles[i].string() + ": " + at);
  }
  auto& reasons = predictions.basis_.why_not;
  for (const auto& cell : predictions.cells_) {
    if (!cell.why_not.empty() && std::ranges::count(reasons, cell.why_not) == 0)
      reasons.push_back(cell.why_not);
  }
  return predictions;
}

std::vector<std::optional<double>> Predictions::batchesPerSecond() const {
  std::vector<std::optional<double>> speeds;
  speeds.reserve(cells_.size());
  for (const auto& cell : cells_)
    speeds.push_back(cell.batches_per_second);
  return speeds;
}

void Predictions::emulateByProfiles(std::vector<experiment::Cell>& cells) const {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (!cells_[i].batches_per_second || !cells[i].conditions.is_emulated) continue;
    cells[i].conditions.profile = std::filesystem::absolute(profiles_[cells_[i].profile]).string();
  }
}

void Predictions::addTo(std::vector<experiment::CellOutcome>& outcomes) {
  if (cells_.empty()) return;
  std::vector<experiment::MeasuredCell> measured;
  basis_.not_fitted = experiment::NotFitted::kNothing;
  for (const int number : fit_cells_) {
    const auto& runs = outcomes.at(static_cast<std::size_t>(number - 1)).runs;
    if (runs.empty()) {
      basis_.not_fitted = experiment::NotFitted::kNotMeasured;
      basis_.cell = number;
      break;
    }
    double sum = 0;
    for (const auto& run : runs)
      sum += run.batchesPerSecond();
    measured.push_back({number, sum / static_cast<double>(runs.size())});
  }
  if (!measured.empty() && measured.size() == fit_cells_.size()) fitTo(measured);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    outcomes[i].predicted_batches_per_second = cells_[i].batches_per_second;
    outcomes[i].textbook_seconds = cells_[i].textbook_seconds;
    outcomes[i].is_fitted = cells_[i].is_fitted;
  }
}

/// Replaces the predictions, or says why these cells do not tell what to replace them by.
void Predictions::fitTo(const std::vector<experiment::MeasuredCell>& measured) {
  cells_ = unfitted_;
  basis_.fit.reset();
  auto fitted = unfitted_;
  auto fit = experiment::fitTo(measured, fitted);
  if (!fit || fit->rank == 0 || !changesAny(measured, unfitted_, fitted)) {
    basis_.not_fitted = experiment::NotFitted::kNotTold;
  } else if (fit->costs.exchange_factor <= 0) {
    basis_.not_fitted = experiment::NotFitted::kFreeBytes;
  } else {
    cells_ = std::move(fitted);
    basis_.fit = *std::move(fit);
  }
}

}  // namespace sumac::cli
