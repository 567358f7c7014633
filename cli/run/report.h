#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cli/run/curve_svg.h"
#include "cli/run/folder.h"
#include "common/base/result.h"

namespace sumac::cli {

/// What server 0 reported at the job's end, ready for people. Made from a line that is not trusted.
struct Report {
  std::string json;   // for result.json, indented
  std::string table;  // for the terminal
};

/// Fails with kInvalid when `line` is not a JSON object.
Result<Report> makeReport(std::string_view name, std::string_view line);

/// The curve in a metrics.jsonl. Where a resumed run repeated steps, what came last counts.
Curve readCurve(const std::filesystem::path& metrics, const std::string& title);

/// The run's files that exist, with what they are, as a table.
std::string fileTable(const RunFolder& folder);

}  // namespace sumac::cli
