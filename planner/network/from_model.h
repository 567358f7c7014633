#pragma once

#include <string>

#include "job/model/network.h"
#include "planner/network/layer_list.h"

namespace sumac::planner {

/// The layers of a resolved network, in its order and with its names. An lstm of several layers is
/// one layer, as it is there. `source` says where the network is from.
LayerList fromModel(const model::Network& network, std::string source);

}  // namespace sumac::planner
