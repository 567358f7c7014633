#pragma once

#include <string>

#include "experiment/report/files.h"
#include "experiment/report/findings.h"

namespace sumac::experiment {

// The sections of the page, each as markup; empty where there is nothing to say.

/// Speed of each cell: pictures and table.
std::string speedSection(const Findings& findings);

/// What a changing number of workers did over time, and what each change cost: pictures and table.
std::string scaleSection(const Findings& findings);

/// Time of a step by phase, and bytes: pictures and table.
std::string stepSection(const Findings& findings);

/// What the lemma on the number of servers says, beside what was measured.
std::string serversSection(const Findings& findings);

/// Predictions beside what was measured, and what they say of themselves: pictures, lines and
/// table.
std::string predictionSection(const Findings& findings, const std::string& notes);

/// Cells that failed, each with its cause.
std::string failureSection(const Findings& findings);

/// How it was measured, where and by what, and the command that measures again.
std::string methodSection(const Findings& findings, const Origin& origin);

}  // namespace sumac::experiment
