#pragma once

#include <string>

#include "experiment/page/charts.h"

namespace sumac::cli {

/// What is printed of an experiment that has ended: its tables, the verdict, and what lemma and
/// predictions are worth. `prediction_notes` are lines.
std::string conclusion(const experiment::Findings& findings, const std::string& prediction_notes);

}  // namespace sumac::cli
