#pragma once

#include <string>

namespace sumac::job {

/// docs/trainingjob.md: every field of the table, a section per object.
std::string markdown();

}  // namespace sumac::job
