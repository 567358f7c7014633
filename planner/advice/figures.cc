#include <algorithm>

#include "planner/advice/advice_parts.h"
#include "planner/advice/answer.h"
#include "planner/network/from_model.h"
#include "planner/parallel/network_cost.h"

namespace sumac::planner {
namespace {

/// Adds figures; those that nobody knows are left out.
class Figures {
 public:
  Figures(const AdviceQuestion& question, const PreparedConfigurations& prepared, Advice& advice)
      : question_(question), prepared_(prepared), figures_(advice.figures) {}

  void addMeasured() {
    const ExchangeCosts& costs = prepared_.costs.exchange;
    addProfiled(FigureName::kBatchSizes, static_cast<double>(question_.profile.batches.size()));
    const bool has_sums = question_.profile.sum_bytes_per_second > 0;
    add(FigureName::kSums,
        Figure{rateOf(costs.add), has_sums ? FigureOrigin::kMeasured : FigureOrigin::kGiven, "",
               ""});
    addProfiled(FigureName::kHop, prepared_.measured_hop, costs.hop <= prepared_.measured_hop);
    addProfiled(FigureName::kMessage, costs.message);
    addProfiled(FigureName::kExchangeStep, prepared_.costs.step);
    addProfiled(FigureName::kMeasuredLink, rateOf(costs.byte));
    addProfiled(FigureName::kFarLink, rateOf(costs.byte + prepared_.costs.far_byte));
    addExperiment(FigureName::kCrowding, prepared_.costs.crowding);
    if (question_.place == Placement::kHere)
      addExperiment(FigureName::kExchangeFactor, prepared_.costs.exchange_factor);
    addExperiment(FigureName::kModelError, kModelError);
  }

  void addGiven() {
    add(FigureName::kLink, question_.link_bytes_per_second);
    addHop(FigureName::kLatency, question_.hop_seconds, true);
    add(FigureName::kMemberMemory, question_.member_bytes);
    add(FigureName::kWorkerMemory, question_.worker_bytes, question_.place == Placement::kMachines);
    if (question_.noise) add(FigureName::kNoiseScale, question_.noise->samples);
    if (const auto& given = question_.convolutions)
      add(FigureName::kConvolutions, Figure{static_cast<double>(given->convolutions.size()),
                                            FigureOrigin::kGiven, given->source, given->date});
  }

  void addMachine(const MachineType& type) {
    add(FigureName::kCores, type.cores);
    add(FigureName::kMachineMemory, type.memory_bytes, !question_.member_bytes);
    add(FigureName::kMachineLink, type.link_bytes_per_second, !question_.link_bytes_per_second);
    addHop(FigureName::kMachineHop, type.hop_seconds, !question_.hop_seconds);
    add(FigureName::kPeak, type.operations_per_second);
    add(FigureName::kBandwidth, type.memory_bytes_per_second, false);
    add(FigureName::kPrice, type.price_per_hour);
  }

  void add(FigureName name, const std::optional<Figure>& figure, bool is_used = true) {
    if (figure) figures_.push_back({name, *figure, is_used});
  }

 private:
  void addProfiled(FigureName name, double value, bool is_used = true) {
    add(name, Figure{value, FigureOrigin::kMeasured, "", ""}, is_used);
  }
  /// Of the experiments that docs/experiments.md lists.
  void addExperiment(FigureName name, double value) {
    add(name, Figure{value, FigureOrigin::kMeasured, "", "2026-11-23"});
  }
  static double rateOf(double seconds_per_byte) {
    return seconds_per_byte > 0 ? 1 / seconds_per_byte : 0;
  }
  void addHop(FigureName name, const std::optional<Figure>& hop, bool is_taken) {
    add(name, hop, is_taken && hop && hop->value >= prepared_.measured_hop);
  }

  const AdviceQuestion& question_;  // outlives us, as the others
  const PreparedConfigurations& prepared_;
  std::vector<NamedFigure>& figures_;
};

}  // namespace

double profiledOperations(const AdviceQuestion& question) {
  constexpr double kOperations = 2;  // a multiplication and an addition
  const auto network = networkCost(fromModel(question.network, "the job"));
  if (!network) return 0;
  const double of_sample = kOperations * totals(*network).forward_multiply_accumulates;
  double most = 0;
  for (const BatchProfile& batch : question.profile.batches) {
    if (batch.forward.median > 0)
      most = std::max(most, of_sample * static_cast<double>(batch.samples) / batch.forward.median);
  }
  return most;
}

void addFigures(const AdviceQuestion& question, const PreparedConfigurations& prepared,
                Advice& advice) {
  Figures figures(question, prepared, advice);
  figures.addMeasured();
  figures.addGiven();
  if (question.machine) figures.addMachine(*question.machine);
}

}  // namespace sumac::planner
