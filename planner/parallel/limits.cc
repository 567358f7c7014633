#include "planner/parallel/limits.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/core/checked.h"
#include "planner/parallel/filter.h"

namespace sumac::planner {
namespace {

MemberLimit ofBatch(const ParallelCase& question) {
  const std::int64_t batch = question.training.batch_size;
  return {batch, {{PartKind::kSamples, batch}}};
}

MemberLimit ofLayers(const ParallelCase& question) {
  const auto layers = static_cast<std::int64_t>(question.network.layers.size());
  return {layers, {{PartKind::kLayers, layers}}};
}

/// The smallest `size` of these layers, as far as `counts`.
template <typename Counts>
MemberLimit smallest(std::span<const LayerCost> layers, std::int64_t LayerCost::*size, PartKind of,
                     Counts counts) {
  const LayerCost* least = nullptr;
  for (const LayerCost& layer : layers) {
    if (counts(layer) && (least == nullptr || layer.*size < least->*size)) least = &layer;
  }
  if (least == nullptr) return {1, {{PartKind::kNoLayer}}};
  return {least->*size, {{of, least->*size, least->name}}};
}

MemberLimit ofFilters(const ParallelCase& question) {
  return smallest(
      question.network.layers, &LayerCost::filters, PartKind::kFilters,
      [&](const LayerCost& l) { return isDivided(l, question.choices.divided_layers); });
}

/// The first layer with weights has the channels of the samples, which are few: it is not divided.
MemberLimit ofChannels(const ParallelCase& question) {
  bool is_first = true;
  return smallest(question.network.layers, &LayerCost::channels, PartKind::kChannels,
                  [&](const LayerCost& layer) {
                    if (!isDivided(layer, question.choices.divided_layers)) return false;
                    return !std::exchange(is_first, false);
                  });
}

MemberLimit ofPositions(const ParallelCase& question) {
  const auto divided = std::span(question.network.layers).first(question.spatialLayers());
  return smallest(divided, &LayerCost::positions, PartKind::kPositions,
                  [](const LayerCost& layer) { return layer.input_items > 0; });
}

MemberLimit product(const MemberLimit& groups, const MemberLimit& inner) {
  const auto most = checkedMultiply(groups.most, inner.most).value_or(kMostMembers);
  return {most, {groups.parts.front(), inner.parts.front()}};
}

Strategy innerOf(Strategy hybrid) {
  return hybrid == Strategy::kDataFilter ? Strategy::kFilter : Strategy::kSpatial;
}

std::optional<Refusal> tooMany(const ParallelCase& question, Strategy strategy,
                               std::int64_t members) {
  const MemberLimit limit = memberLimit(question, strategy);
  if (members <= limit.most) return std::nullopt;
  return Refusal{Obstacle::kMembers, members, limit, strategy};
}

}  // namespace

MemberLimit memberLimit(const ParallelCase& question, Strategy strategy) {
  switch (strategy) {
    case Strategy::kSerial: return {1, {{PartKind::kNothing}}};
    case Strategy::kData: return ofBatch(question);
    case Strategy::kSpatial: return ofPositions(question);
    case Strategy::kLayer:
    case Strategy::kPipeline: return ofLayers(question);
    case Strategy::kFilter: return ofFilters(question);
    case Strategy::kChannel: return ofChannels(question);
    case Strategy::kDataFilter: return product(ofBatch(question), ofFilters(question));
    case Strategy::kDataSpatial: return product(ofBatch(question), ofPositions(question));
  }
  return {};
}

std::optional<Refusal> brokenLimit(const ParallelCase& question, Strategy strategy,
                                   const Grid& grid) {
  switch (strategy) {
    case Strategy::kDataFilter:
    case Strategy::kDataSpatial:
      if (auto broken = tooMany(question, Strategy::kData, grid.groups)) return broken;
      return tooMany(question, innerOf(strategy), grid.inner);
    case Strategy::kPipeline:
      if (question.choices.segments > question.training.batch_size)
        return Refusal{Obstacle::kSegments, question.choices.segments, ofBatch(question)};
      break;
    default: break;
  }
  return tooMany(question, strategy, grid.members());
}

}  // namespace sumac::planner
