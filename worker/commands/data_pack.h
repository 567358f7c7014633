#pragma once

#include <iosfwd>
#include <string>

#include "base/core/exit_code.h"
#include "worker/commands/data_source.h"

namespace sumac::worker {

/// What to pack, and into which file: samples of any format but text, which a job then reads one by
/// one.
struct DataPackOptions {
  DataSource source{.format = "folder"};
  std::string file = {};
  bool is_shown = false;  // whether `err` is a terminal, which progress is shown on
};

/// `sumac data pack`: writes a packed file, and on `out` what it has and how a job uses it. Returns
/// kUsage for a name that is taken or does not end as it must, kBadConfiguration for data that
/// cannot be packed, and kResourceFailed for storage that fails or is full, with the reason on
/// `err`.
ExitCode dataPack(const DataPackOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sumac::worker
