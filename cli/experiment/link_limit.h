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
  double workers = 1;                           // a mean where their number changes
  int servers = 0;

  static LinkLimit of(const experiment::Cell& cell);

  /// Whose gradients a server's link carries; at least 1.
  double workersPerServer() const;
};

/// Why the links cannot have had this limit, as they carried more; empty where they may have had
/// it. Clusters do not say whether their network plugin carries out the annotation.
std::string brokenLimit(const LinkLimit& limit, const experiment::RunFigures& figures);

/// The same of a run whose number of workers changes: `message` is what worker 0 said at its end.
/// Where a change began all members again, of the last number: those before it were not asked.
std::string brokenLimit(const LinkLimit& limit, const experiment::ScaleRecord& record,
                        const std::string& message);

}  // namespace sumac::cli
