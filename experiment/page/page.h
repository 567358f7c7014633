#pragma once

#include <string>

#include "experiment/report/files.h"
#include "experiment/report/findings.h"

namespace sumac::experiment {

/// report.html: the question, the answer in words, pictures and tables, and how to measure it
/// again, in one file that needs no other. One that is not complete says so.
std::string reportPage(const Findings& findings, const Origin& origin, bool is_complete);

}  // namespace sumac::experiment
