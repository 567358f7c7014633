#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/core/units.h"
#include "planner/report/sentences.h"

namespace sumac::planner {
namespace {

using fmt::arg;

constexpr std::pair<FindingKind, std::string_view> kFindings[] = {
    {FindingKind::kGradientExchange, "the gradient exchange takes {share} of an epoch"},
    {FindingKind::kLayerCollectives,
     "the collectives of each layer take {share} of an epoch, longer than the gradient exchange of "
     "data parallelism would"},
    {FindingKind::kNeighbours, "messages between neighbours take {share} of an epoch"},
    {FindingKind::kCongestion,
     "from {members} on, congestion made single exchanges up to 4 times as long"},
    {FindingKind::kReading,
     "reading and spreading samples from one leader is not counted; with CosmoFlow it took 4 times "
     "as long as the rest"},
    {FindingKind::kCopiedWeights,
     "{share} of a member's memory holds copies of weights that others have too"},
    {FindingKind::kCopiedActivations,
     "{share} of a member's memory holds copies of activations that others have too"},
    {FindingKind::kNearlyFull,
     "it needs {share} of the memory; fragmentation can make that too much"},
    {FindingKind::kWeightUpdate, "the weight update takes {share} of an epoch"},
    {FindingKind::kFewFilters,
     "with fewer filters a convolution takes hardly less time; the estimate divides it"},
    {FindingKind::kSlowestStage,
     "the slowest stage takes {share} of the mean stage's time, and all wait for it"},
    {FindingKind::kMemberLimit, "it can use at most {limit}"}};

std::string partsText(const Parts& parts) {
  switch (parts.of) {
    case PartKind::kNothing: return "it is what one member does alone";
    case PartKind::kNoLayer: return "the network has no layer that it could divide";
    case PartKind::kSamples: return "a mini-batch has " + counted(parts.count, "sample");
    case PartKind::kLayers: return "the network has " + counted(parts.count, "layer");
    default: break;
  }
  const char* const what = parts.of == PartKind::kFilters    ? "filter"
                           : parts.of == PartKind::kChannels ? "channel"
                                                             : "position";
  return fmt::format("layer {} has {}", parts.layer, counted(parts.count, what));
}

std::string limitText(const MemberLimit& limit, std::string_view but = "") {
  std::string text = fmt::format("{}{}: ", counted(limit.most, "member"), but);
  for (const Parts& parts : limit.parts)
    text += (&parts == limit.parts.data() ? "" : " and ") + partsText(parts);
  return text;
}

std::string refusalText(const Assessment& assessed) {
  const Refusal& why = *assessed.refusal;
  switch (why.obstacle) {
    case Obstacle::kMembers:
      return fmt::format("{} parallelism can use at most {}", toString(why.strategy),
                         limitText(why.limit, fmt::format(", not {}", why.found)));
    case Obstacle::kSegments:
      return fmt::format("a mini-batch of {} cannot be cut into {}",
                         counted(why.limit.most, "sample"), counted(why.found, "segment"));
    case Obstacle::kStages:
      return fmt::format("{} are given for {}", counted(why.found, "stage"),
                         counted(why.limit.most, "member"));
    case Obstacle::kNoGroups:
      return counted(why.found, "member") + " cannot be divided into groups of several";
    case Obstacle::kMemory: break;
  }
  return fmt::format(
      "{} needs {} on a member that has {}; {}", toString(assessed.strategy),
      bytesText(assessed.estimate->memory_bytes), bytesText(why.memory_bytes),
      why.found > 0
          ? fmt::format("a mini-batch of at most {} fits", counted(why.found, "sample"))
          : "no smaller mini-batch fits: it needs members with more memory, or more of them");
}

}  // namespace

std::string findingText(const Finding& finding) {
  const auto words =
      std::ranges::find(kFindings, finding.kind, &std::pair<FindingKind, std::string_view>::first);
  return fmt::format(fmt::runtime(words->second), arg("share", percentText(finding.share)),
                     arg("members", counted(finding.members, "member")),
                     arg("limit", limitText(finding.limit)));
}

std::string whyNot(const Advice& advice, const Assessment& assessed) {
  if (assessed.refusal) return refusalText(assessed);
  if (assessed.strategy == Strategy::kData) return {};
  if (assessed.strategy == Strategy::kSerial) return "one member alone";
  const auto data = std::ranges::find(advice.strategies, Strategy::kData, &Assessment::strategy);
  const double of_data = data == advice.strategies.end() ? 0 : data->seconds();
  if (of_data <= 0 || assessed.seconds() <= 0) return "not available in this version";
  constexpr double kVisible = 5e-3;  // of three digits
  const double ratio = assessed.seconds() / of_data;
  return fmt::format("not available in this version; a step would take {} as long as with data",
                     std::abs(ratio - 1) < kVisible ? "as" : digitsText(ratio) + " times");
}

std::string basisText(const StrategyBasis& basis) {
  std::string text;
  if (basis.seconds_of_one)
    text = fmt::format("Serial is the predicted step of one worker, {}. ",
                       durationText(*basis.seconds_of_one));
  else if (basis.has_layers)
    text = "No step of one worker is predicted, so compute is that of the configuration. ";
  if (basis.all_reduce)
    text += fmt::format(
        "Data is the best predicted all-reduce, {}, with all communication "
        "exposed: {} instead of {}. ",
        choiceText(*basis.all_reduce), durationText(basis.exposed_seconds),
        durationText(basis.hidden_seconds));
  return text +
         "Memory is the oracle's: values, weights and gradients, without the engine's room, the "
         "data and the headroom of the configurations.";
}

}  // namespace sumac::planner
