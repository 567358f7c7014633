#pragma once

#include <string>

#include "cli/init/findings.h"
#include "cli/init/proposal.h"

namespace sumac::cli {

/// A TrainingJob with comments that say why it is so and what to change. `file` is the name that it
/// will have. The job's reader accepts it without a warning.
std::string manifestOf(const Findings& findings, const Proposal& proposal, const std::string& file);

/// What was found, in one line: "pictures of 3 classes (cat, dog, eel), 48 to train on, ...".
std::string describe(const Findings& findings);

}  // namespace sumac::cli
