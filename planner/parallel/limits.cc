#include "planner/parallel/limits.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/core/checked.h"
#include "base/core/units.h"
#include "planner/parallel/filter.h"

namespace sumac::planner {
namespace {

MemberLimit ofBatch(const ParallelCase& question) {
  const std::int64_t batch = question.training.batch_size;
  return {batch, "a mini-batch has " + counted(batch, "sample")};
}

MemberLimit ofLayers(const ParallelCase& question) {
  const auto layers = static_cast<std::int64_t>(question.network.layers.size());
  return {layers, "the network has " + counted(layers, "layer")};
}

/// The smallest `size` of these layers, as far as `counts`.
template <typename Counts>
MemberLimit smallest(std::span<const LayerCost> layers, std::int64_t LayerCost::*size,
                     const std::string& unit, Counts counts) {
  const LayerCost* least = nullptr;
  for (const LayerCost& layer : layers) {
    if (counts(layer) && (least == nullptr || layer.*size < least->*size)) least = &layer;
  }
  if (least == nullptr) return {1, "the network has no layer that it could divide"};
  return {least->*size, "layer " + least->name + " has " + counted(least->*size, unit)};
}

MemberLimit ofFilters(const ParallelCase& question) {
  return smallest(question.network.layers, &LayerCost::filters, "filter", [&](const LayerCost& l) {
    return isDivided(l, question.choices.divided_layers);
  });
}

/// The first layer with weights has the channels of the samples, which are few: it is not divided.
MemberLimit ofChannels(const ParallelCase& question) {
  bool is_first = true;
  return smallest(question.network.layers, &LayerCost::channels, "channel",
                  [&](const LayerCost& layer) {
                    if (!isDivided(layer, question.choices.divided_layers)) return false;
                    return !std::exchange(is_first, false);
                  });
}

MemberLimit ofPositions(const ParallelCase& question) {
  const auto divided = std::span(question.network.layers).first(question.spatialLayers());
  return smallest(divided, &LayerCost::positions, "position",
                  [](const LayerCost& layer) { return layer.input_items > 0; });
}

MemberLimit product(const MemberLimit& groups, const MemberLimit& inner) {
  const auto most = checkedMultiply(groups.most, inner.most).value_or(kMostMembers);
  return {most, groups.reason + " and " + inner.reason};
}

Strategy innerOf(Strategy hybrid) {
  return hybrid == Strategy::kDataFilter ? Strategy::kFilter : Strategy::kSpatial;
}

std::optional<std::string> tooMany(const ParallelCase& question, Strategy strategy,
                                   std::int64_t members) {
  const MemberLimit limit = memberLimit(question, strategy);
  if (members <= limit.most) return std::nullopt;
  return std::string(toString(strategy)) + " parallelism can use at most " +
         counted(limit.most, "member") + ", not " + std::to_string(members) + ": " + limit.reason;
}

}  // namespace

MemberLimit memberLimit(const ParallelCase& question, Strategy strategy) {
  switch (strategy) {
    case Strategy::kSerial: return {1, "it is what one member does alone"};
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

std::optional<std::string> brokenLimit(const ParallelCase& question, Strategy strategy,
                                       const Grid& grid) {
  switch (strategy) {
    case Strategy::kDataFilter:
    case Strategy::kDataSpatial:
      if (auto broken = tooMany(question, Strategy::kData, grid.groups)) return broken;
      return tooMany(question, innerOf(strategy), grid.inner);
    case Strategy::kPipeline:
      if (question.choices.segments > question.training.batch_size)
        return "a mini-batch of " + counted(question.training.batch_size, "sample") +
               " cannot be cut into " + counted(question.choices.segments, "segment");
      break;
    default: break;
  }
  return tooMany(question, strategy, grid.members());
}

}  // namespace sumac::planner
