#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/advice/advice.h"

namespace sumac::cli {

/// The whole answer for programs: times in seconds, memory in bytes, shares from 0 to 1, money in
/// `currency`, each said by its field's name.
nlohmann::ordered_json planJson(const planner::Advice& advice);

}  // namespace sumac::cli
