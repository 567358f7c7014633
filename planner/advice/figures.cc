#include "planner/advice/figures.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/core/units.h"
#include "planner/advice/answer.h"
#include "planner/advice/texts.h"
#include "planner/network/from_model.h"
#include "planner/parallel/network_cost.h"

namespace sumac::planner {
namespace {

void addFigure(Advice& advice, std::string name, std::string value, const Figure& figure) {
  advice.figures.push_back(
      {std::move(name), std::move(value), figure.origin, figure.source, figure.date});
}

void addMachine(const AdviceQuestion& question, const PreparedWays& prepared, Advice& advice) {
  const MachineType& type = *question.machine;
  if (type.cores)
    addFigure(advice, "cores", counted(static_cast<std::int64_t>(type.cores->value), "core"),
              *type.cores);
  if (type.memory_bytes)
    addFigure(advice, "memory",
              memoryText(static_cast<std::int64_t>(type.memory_bytes->value)) +
                  (question.member_bytes ? ", not used" : ""),
              *type.memory_bytes);
  if (type.link_bytes_per_second)
    addFigure(advice, "link of a machine",
              linkText(type.link_bytes_per_second->value) +
                  (question.link_bytes_per_second ? ", not used" : ""),
              *type.link_bytes_per_second);
  if (type.hop_seconds)
    addFigure(
        advice, "hop between machines",
        durationText(type.hop_seconds->value) +
            (question.hop_seconds || type.hop_seconds->value < prepared.measured_hop ? ", not used"
                                                                                     : ""),
        *type.hop_seconds);
  if (type.operations_per_second)
    addFigure(advice, "peak",
              operationsText(type.operations_per_second->value) + "; passes as profiled reach " +
                  operationsText(profiledOperations(question)),
              *type.operations_per_second);
  if (type.memory_bytes_per_second)
    addFigure(advice, "bandwidth of memory",
              byteRateText(type.memory_bytes_per_second->value) + ", not used",
              *type.memory_bytes_per_second);
  if (type.price_per_hour)
    addFigure(advice, "price of a machine",
              givenMoneyText(type.price_per_hour->value, type.currency) + " an hour",
              *type.price_per_hour);
}

std::string rateText(double seconds_per_byte) {
  return seconds_per_byte > 0 ? linkText(1 / seconds_per_byte) : "not limited";
}

/// The costs of exchanges: fitted to what the profile measured, or what is typical.
void addCosts(const AdviceQuestion& question, const PreparedWays& prepared, Figure measured,
              Advice& advice) {
  const ExchangeCosts& costs = prepared.costs.exchange;
  const std::string sums = costs.add > 0 ? byteRateText(1 / costs.add) : "not limited";
  if (question.profile.sum_bytes_per_second > 0) {
    addFigure(advice, "sums of a thread", sums, measured);
  } else {
    addFigure(advice, "sums of a thread", sums,
              {0, FigureOrigin::kGiven, "Sumac's default; the profile has none", ""});
  }
  measured.source += ", over 127.0.0.1, fitted";
  const bool is_slower = costs.hop > prepared.measured_hop;
  addFigure(advice, "hop", durationText(prepared.measured_hop) + (is_slower ? ", not used" : ""),
            measured);
  addFigure(advice, "message", durationText(costs.message), measured);
  addFigure(advice, "each step of an exchange", durationText(prepared.costs.step), measured);
  addFigure(advice, "link, as measured", rateText(costs.byte), measured);
  addFigure(advice, "link, of vectors above 1 MiB", rateText(costs.byte + prepared.costs.far_byte),
            measured);
  if (question.place != Placement::kHere) return;
  const char* const day = "2026-11-23";
  addFigure(advice, "computing in a job", percentText(prepared.costs.crowding) + " longer",
            {0, FigureOrigin::kMeasured, "LeNet-5 on two cores, docs/experiments.md", day});
  addFigure(advice, "bytes in a job", digitsText(prepared.costs.exchange_factor) + " times as long",
            {0, FigureOrigin::kMeasured, "an LSTM on two cores, docs/experiments.md", day});
}

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

void addFigures(const AdviceQuestion& question, const PreparedWays& prepared, Advice& advice) {
  const ProfileMachine& machine = question.profile.machine;
  Figure measured;
  measured.origin = FigureOrigin::kMeasured;
  measured.source = "sumac profile on " + machine.host + ", " + machine.cpu;
  addFigure(advice, "times of computing",
            counted(std::ssize(question.profile.batches), "batch size"), measured);
  addCosts(question, prepared, std::move(measured), advice);
  addFigure(advice, "error of the model", percentText(modelError().value), modelError());
  if (question.link_bytes_per_second)
    addFigure(advice, "link", linkText(question.link_bytes_per_second->value),
              *question.link_bytes_per_second);
  if (question.hop_seconds)
    addFigure(advice, "latency of links",
              durationText(question.hop_seconds->value) +
                  (question.hop_seconds->value < prepared.measured_hop ? ", not used" : ""),
              *question.hop_seconds);
  if (question.member_bytes)
    addFigure(advice, "memory of a member",
              memoryText(static_cast<std::int64_t>(question.member_bytes->value)),
              *question.member_bytes);
  if (question.noise)
    addFigure(advice, "gradient noise scale",
              digitsText(question.noise->samples.value) + " samples", question.noise->samples);
  if (const auto& given = question.convolutions)
    addFigure(
        advice, "costs of convolutions", counted(std::ssize(given->convolutions), "convolution"),
        {.value = 0, .origin = FigureOrigin::kGiven, .source = given->source, .date = given->date});
  if (question.machine) addMachine(question, prepared, advice);
}

}  // namespace sumac::planner
