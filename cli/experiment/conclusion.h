#pragma once

#include <cstdint>
#include <string>

namespace sumac::cli {

/// "; 4 runs of an earlier start kept; 2 runs beyond the repetitions are kept and not used; raise
/// spec.repetitions to use them", of those that are there; empty where there are none.
std::string keptText(int used, int there);

/// What an experiment that was stopped says without a run that was measured.
std::string nothingMeasuredText(std::int64_t failed);

/// The last line where so many cells failed.
std::string failureText(std::int64_t failed);

}  // namespace sumac::cli
