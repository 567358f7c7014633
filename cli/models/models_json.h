#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/models/models_table.h"
#include "cli/models/worker_memory.h"
#include "common/model/network.h"

namespace sumac::cli {

/// The same as the tables, as JSON: figures are numbers, shapes are lists.
std::string listJson(const std::vector<ListedModel>& models);
/// `memory` is included if it is known.
std::string layerJson(const model::Network& network,
                      const std::optional<WorkerMemory>& memory = {});

}  // namespace sumac::cli
