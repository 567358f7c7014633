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

double EpochTime::computation() const {
  return (*this)[Phase::kForwardBackward] + (*this)[Phase::kWeightUpdate];
}

double EpochTime::communication() const {
  return (*this)[Phase::kGradientExchange] + (*this)[Phase::kLayerCollectives] +
         (*this)[Phase::kHaloExchange] + (*this)[Phase::kSplitGather] +
         (*this)[Phase::kStageTransfer];
}

}  // namespace sumac::planner
