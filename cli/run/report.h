#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cli/run/curve_svg.h"
#include "cli/run/folder.h"
#include "common/base/result.h"

namespace sumac::cli {

/// The result that server 0 reported, formatted for people. Made from a line that is not trusted.
struct Report {
  std::string json;   // for result.json, indented
  std::string table;  // for the terminal
};

/// Fails with kInvalid when `line` is not a JSON object.
Result<Report> makeReport(std::string_view name, std::string_view line);

/// The curve in a metrics.jsonl. Of steps that a resumed run repeated, the last values count.
Curve readCurve(const std::filesystem::path& metrics, const std::string& title);

/// A table of the run's existing files and their purposes.
std::string fileTable(const RunFolder& folder);

}  // namespace sumac::cli
