#include "planner/advice/figures.h"

#include <string>
#include <utility>

#include "common/base/text.h"
#include "planner/advice/texts.h"

namespace sumac::planner {
namespace {

void addFigure(Advice& advice, std::string name, std::string value, const Figure& figure) {
  advice.figures.push_back(
      {std::move(name), std::move(value), figure.origin, figure.source, figure.date});
}

void addMachine(const MachineType& type, const PreparedWays& prepared, Advice& advice) {
  if (type.cores)
    addFigure(advice, "cores", counted(static_cast<std::int64_t>(type.cores->value), "core"),
              *type.cores);
  if (type.memory_bytes)
    addFigure(advice, "memory", memoryText(static_cast<std::int64_t>(type.memory_bytes->value)),
              *type.memory_bytes);
  if (type.link_bytes_per_second)
    addFigure(advice, "link of a machine", linkText(type.link_bytes_per_second->value),
              *type.link_bytes_per_second);
  if (type.hop_seconds)
    addFigure(advice, "hop between machines",
              durationText(type.hop_seconds->value) +
                  (type.hop_seconds->value < prepared.measured_hop ? ", not used" : ""),
              *type.hop_seconds);
  if (type.operations_per_second)
    addFigure(advice, "peak", operationsText(type.operations_per_second->value),
              *type.operations_per_second);
  if (type.price_per_hour)
    addFigure(advice, "price of a machine",
              moneyText(type.price_per_hour->value, type.currency) + " an hour",
              *type.price_per_hour);
}

}  // namespace

void addFigures(const AdviceQuestion& question, const PreparedWays& prepared, Advice& advice) {
  const ProfileMachine& machine = question.profile.machine;
  Figure measured;
  measured.origin = FigureOrigin::kMeasured;
  measured.source = "sumac profile on " + machine.host + ", " + machine.cpu;
  addFigure(advice, "times of computing",
            counted(std::ssize(question.profile.batches), "batch size"), measured);
  const ExchangeCosts& costs = prepared.costs.exchange;
  measured.source += ", over 127.0.0.1, fitted";
  const bool is_slower = costs.hop > prepared.measured_hop;
  addFigure(advice, "hop", durationText(prepared.measured_hop) + (is_slower ? ", not used" : ""),
            measured);
  addFigure(advice, "message", durationText(costs.message), measured);
  addFigure(advice, "link, as measured", linkText(costs.byte > 0 ? 1 / costs.byte : 0), measured);
  if (question.link_bytes_per_second)
    addFigure(advice, "link", linkText(question.link_bytes_per_second->value),
              *question.link_bytes_per_second);
  if (question.member_bytes)
    addFigure(advice, "memory of a member",
              memoryText(static_cast<std::int64_t>(question.member_bytes->value)),
              *question.member_bytes);
  if (question.noise)
    addFigure(advice, "gradient noise scale",
              digitsText(question.noise->samples.value) + " samples", question.noise->samples);
  if (question.machine) addMachine(*question.machine, prepared, advice);
}

}  // namespace sumac::planner
