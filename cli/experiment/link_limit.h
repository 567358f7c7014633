#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiment/cells/cells.h"
#include "experiment/measure/figures.h"

namespace sumac::cli {

/// What the links of a cell's pods were asked to be limited to. A value type.
struct LinkLimit {
  std::optional<std::int64_t> bits_per_second;  // nothing: not limited
  double workers_per_server = 1;  // whose gradients a server's link carries; at least 1

  static LinkLimit of(const experiment::Cell& cell);
};

/// Why the links cannot have had this limit, as they carried more; empty where they may have had
/// it. Clusters do not say whether their network plugin carries out the annotation.
std::string brokenLimit(const LinkLimit& limit, const experiment::RunFigures& figures);

}  // namespace sumac::cli
