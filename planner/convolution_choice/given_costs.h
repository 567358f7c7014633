#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/document/field.h"
#include "job/document/job.h"
#include "planner/convolution_choice/choice.h"

namespace sumac::planner {

/// What somebody says that the algorithms of a network's convolutions cost, with where that is
/// from. A value type.
struct GivenCosts {
  std::vector<ConvolutionAlgorithms> convolutions;
  std::int64_t bound_bytes = 0;  // that all workspaces together may have
  std::string source;
  std::string date;  // "2026-11-23"
};

/// The ConvolutionCosts document: the only source of its parsing and of `sumac explain
/// convolutions`.
const job::Field& convolutionCostsField();

/// The outcome of reading a document: its costs, or all its problems.
struct GivenCostsReading {
  std::optional<GivenCosts> costs;  // present exactly when `problems` is empty
  std::vector<job::Problem> problems;
};

/// Reads and checks `text` as ConvolutionCosts; `file` is for the messages. Strict: what is
/// unknown, negative, absurdly large, there twice or without source and date is a problem. A pure
/// function of any text.
GivenCostsReading readGivenCosts(std::string_view text, std::string_view file);

}  // namespace sumac::planner
