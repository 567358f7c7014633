#pragma once

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "base/core/clock.h"
#include "base/core/exit_code.h"
#include "base/report/text.h"
#include "cli/bench/exchange_cell.h"

namespace sumac::cli {

/// The options of `sumac bench exchange`.
struct ExchangeBenchOptions {
  std::vector<std::int64_t> sizes;  // each one that checkExchangeSize() accepts
  std::vector<ExchangeMethod> methods;
  int workers = 2;
  int servers = 1;
  int steps = 0;  // measured of each cell; 0: as many as take about a second
  bool is_encrypted = false;
  bool is_json = false;
  report::TextStyle style{};       // of the table
  bool prints_job = false;         // for a cluster; one size and one algorithm
  std::filesystem::path programs;  // folder of sumac-server and sumac-worker
};

/// Why a cell has no figures.
struct CellFailure {
  ExitCode code = ExitCode::kFailed;
  std::string text;
};

using CellResult = std::variant<ExchangeFigures, CellFailure>;

/// Measures one cell, as benchExchange() does. Requires a process with one thread and no children.
CellResult measureExchange(const ExchangeCell& cell, const std::filesystem::path& programs,
                           const Clock& clock);

/// Measures each size with each algorithm, in the order of the sizes: starts a job's members on
/// this machine, which exchange synthetic values, and prints a table or JSON to `out`, what is
/// being measured and errors to `err`. Its files lie in a temporary folder that is removed.
///
/// With `prints_job` it prints the TrainingJob that measures between pods of a cluster, and
/// measures nothing itself.
///
/// Ends at the first measurement that fails; what was measured before is printed. Requires a
/// process with one thread and no children.
ExitCode benchExchange(const ExchangeBenchOptions& options, const Clock& clock, std::ostream& out,
                       std::ostream& err);

}  // namespace sumac::cli
