#pragma once

#include <string>

#include "base/report/report.h"

#include "experiment/report/findings.h"

namespace sumac::experiment {

/// The answer of an experiment: the verdict first, then what was measured and how. What terminals,
/// report.html, cells.csv and results.json say of it is written from this tree. One that is not
/// complete says so.
report::Report experimentReport(const Findings& findings, const Origin& origin, bool is_complete);

/// results.json. Whether it is complete, and which cells failed, stands in it.
std::string resultsJson(const Findings& findings, const Origin& origin, bool is_complete);

}  // namespace sumac::experiment
