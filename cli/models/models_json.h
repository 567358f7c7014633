#pragma once

#include <string>
#include <vector>

#include "cli/models/models_table.h"
#include "common/model/network.h"

namespace sumac::cli {

/// The same as the tables, for programs; figures are numbers, shapes lists.
std::string listJson(const std::vector<ListedModel>& models);
std::string layerJson(const model::Network& network);

}  // namespace sumac::cli
