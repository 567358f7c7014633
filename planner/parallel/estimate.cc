#include "planner/parallel/estimate.h"

namespace sumac::planner {

std::string_view toString(Strategy strategy) {
  switch (strategy) {
    case Strategy::kSerial: return "serial";
    case Strategy::kData: return "data";
    case Strategy::kSpatial: return "spatial";
    case Strategy::kLayer: return "layer";
    case Strategy::kPipeline: return "pipeline";
    case Strategy::kFilter: return "filter";
    case Strategy::kChannel: return "channel";
    case Strategy::kDataFilter: return "data+filter";
    case Strategy::kDataSpatial: return "data+spatial";
  }
  return "unknown";
}

std::string_view toString(Phase phase) {
  switch (phase) {
    case Phase::kForwardBackward: return "forward and backward pass";
    case Phase::kWeightUpdate: return "weight update";
    case Phase::kGradientExchange: return "gradient exchange";
    case Phase::kLayerCollectives: return "collectives of each layer";
    case Phase::kHaloExchange: return "halo exchange";
    case Phase::kSplitGather: return "gather after the divided layers";
    case Phase::kStageTransfer: return "transfer between stages";
  }
  return "unknown";
}

double EpochTime::computation() const {
  return (*this)[Phase::kForwardBackward] + (*this)[Phase::kWeightUpdate];
}

double EpochTime::communication() const {
  return (*this)[Phase::kGradientExchange] + (*this)[Phase::kLayerCollectives] +
         (*this)[Phase::kHaloExchange] + (*this)[Phase::kSplitGather] +
         (*this)[Phase::kStageTransfer];
}

Phase EpochTime::longest() const {
  Phase longest = kPhases.front();
  for (const Phase phase : kPhases) {
    if ((*this)[phase] > (*this)[longest]) longest = phase;
  }
  return longest;
}

}  // namespace sumac::planner
