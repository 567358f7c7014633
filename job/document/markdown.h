#pragma once

#include <string>

namespace sumac::job {

/// The text of docs/trainingjob.md: every field of the table, one section per object.
std::string markdown();

}  // namespace sumac::job
