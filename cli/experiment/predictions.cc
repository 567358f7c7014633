#include "cli/experiment/predictions.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <span>
#include <utility>

#include "cli/profile/profile.h"
#include "common/base/file.h"
#include "common/profile/profile_json.h"
#include "common/profile/profile_use.h"

namespace sumac::cli {
namespace {

std::string fixedText(double value, int decimals) {
  constexpr std::size_t kLongest = 64;
  std::array<char, kLongest> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

Result<JobProfile> readProfile(const std::filesystem::path& file) {
  const auto text = readTextFile(file, kMaxProfileBytes);
  if (!text) return text.error();
  auto profile = profileFromJson(*text);
  if (!profile) return profile.error().within(file.string());
  return profile;
}

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

std::string costsLine(const planner::StepCosts& costs) {
  constexpr double kMicro = 1e6;
  constexpr double kPercent = 100;
  return "a step costs " + fixedText(kMicro * costs.step, 1) + " us, computing takes " +
         fixedText(kPercent * costs.crowding, 1) + " % longer than profiled, exchanging " +
         fixedText(costs.exchange_factor, 2) + " times as long";
}

}  // namespace

Result<Predictions> Predictions::make(const PredictionOptions& options, const ExperimentPlan& plan,
                                      const std::filesystem::path& programs) {
  Predictions predictions;
  if (options.profiles.empty()) {
    if (options.fit.empty()) return predictions;
    return Error{ErrorCode::kInvalid, "--fit needs a profile: give one with --profile"};
  }
  if (!plan.experiment.scale.empty()) {
    return Error{ErrorCode::kInvalid,
                 "a job whose number of workers changes cannot be predicted; leave out --profile"};
  }
  for (const int cell : options.fit) {
    if (cell >= 1 && cell <= std::ssize(plan.cells)) continue;
    return Error{ErrorCode::kInvalid, "--fit " + std::to_string(cell) + ": there are cells 1 to " +
                                          std::to_string(plan.cells.size())};
  }
  const auto here = profileHere(programs, plan.cells.front().resolved);
  if (!here) return here.error();
  const auto profiles = readProfiles(
      options.profiles, {.version = here->version, .machine = here->machine, .subject = {}});
  if (!profiles) return profiles.error();
  predictions.unfitted_ = experiment::predictCells(plan.cells, *profiles);
  predictions.cells_ = predictions.unfitted_;
  predictions.fit_cells_ = options.fit;
  return predictions;
}

std::vector<std::optional<double>> Predictions::batchesPerSecond() const {
  std::vector<std::optional<double>> speeds;
  speeds.reserve(cells_.size());
  for (const auto& cell : cells_)
    speeds.push_back(cell.batches_per_second);
  return speeds;
}

void Predictions::addTo(std::vector<experiment::CellOutcome>& outcomes) {
  if (cells_.empty()) return;
  std::vector<experiment::MeasuredCell> measured;
  why_not_fitted_.clear();
  for (const int number : fit_cells_) {
    const auto& runs = outcomes.at(static_cast<std::size_t>(number - 1)).runs;
    if (runs.empty()) {
      why_not_fitted_ = "cell " + std::to_string(number) +
                        " was not measured; these are the predictions of the profile alone";
      break;
    }
    double sum = 0;
    for (const auto& run : runs)
      sum += run.batchesPerSecond();
    measured.push_back({number, sum / static_cast<double>(runs.size())});
  }
  if (!measured.empty() && measured.size() == fit_cells_.size()) {
    cells_ = unfitted_;
    auto fit = experiment::fitTo(measured, cells_);
    if (!fit) why_not_fitted_ = fit.error().message;
    if (fit) fit_ = *std::move(fit);
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    outcomes[i].predicted_batches_per_second = cells_[i].batches_per_second;
    outcomes[i].is_fitted = cells_[i].is_fitted;
  }
}

std::string Predictions::notes() const {
  std::string text;
  std::set<std::string> reasons;
  for (const auto& cell : cells_) {
    if (!cell.why_not.empty() && reasons.insert(cell.why_not).second)
      text += "Not predicted: " + cell.why_not + ".\n";
  }
  if (!why_not_fitted_.empty()) text += "Not fitted: " + why_not_fitted_ + ".\n";
  if (!fit_) return text;
  constexpr double kPercent = 100;
  text += "Fitted costs: " + costsLine(fit_->costs) + "; errors of the fitted cells:";
  for (const double residual : fit_->residuals)
    text += (residual < 0 ? " " : " +") + fixedText(kPercent * residual, 1) + " %";
  const std::string caveat = fit_->caveat();
  return text + (caveat.empty() ? "" : "; " + caveat) + ".\n";
}

}  // namespace sumac::cli
