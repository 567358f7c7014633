#pragma once

#include <string>
#include <vector>

#include "job/profile/job_profile.h"

namespace sumac {

/// Quartiles further from the median than this share of it: something else used the cores. On an
/// idle machine they are 1 to 5 % from it.
inline constexpr double kTrustedSpread = 0.15;

/// Half the distance of the quartiles, as a share of the median; 0 where that is 0.
double spreadOf(const Timing& timing);

/// The same of a whole step of computing: passes and update are disturbed together.
double spreadOf(const BatchProfile& batch);

/// The rows with a time that spreads by more than kTrustedSpread, each with the worst of its times:
/// "16 samples by 2 threads (forward ± 47 %)". Empty where all can be believed. What spreads by
/// less than a hundredth of the row's step is not told: updates of microseconds do on an idle
/// machine.
std::vector<std::string> disturbedRows(const JobProfile& profile);

/// One sentence that names these rows and says what to do, without a period; empty where there are
/// none.
std::string disturbanceText(const JobProfile& profile);

/// One sentence, without a period, where the most threads compute the largest share hardly faster
/// than the fewest: steady work beside them shows in no spread. Else empty.
std::string idleThreadsText(const JobProfile& profile);

}  // namespace sumac
