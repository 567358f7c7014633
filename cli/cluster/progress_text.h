#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/core/wall_time.h"
#include "kube/api/training_job.h"

namespace sumac::cli {

/// "step 120/600 (20 %), epoch 1, loss 0.43, 1234 samples/s, 40s left, seen 5s ago".
std::string progressText(const Progress& progress, WallTime now);

/// "of step 100", and whether later ones were skipped; empty where nothing is known of any.
std::string checkpointText(const Progress& progress);

/// The time to the end as of now; nothing where it is not known.
std::optional<std::chrono::seconds> remaining(const Progress& progress, WallTime now);

/// With at most four significant digits: "0.4312", "12340"; empty where it is not known.
std::string shortDecimal(std::optional<double> value);

/// "[#########...........]", `width` long with its brackets.
std::string progressBar(int percentage, int width);

}  // namespace sumac::cli
