#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/cells/cells.h"
#include "experiment/report/summary.h"

namespace sumac::experiment {

/// The axis that sets the number of workers, and at most how they are set up beside it; nothing
/// where there is none.
std::optional<std::size_t> workerAxis(const std::vector<Axis>& axes);

/// The number of servers that a value sets and is named after; nothing where it is neither.
std::optional<int> serversNamed(const Axis& axis, const std::string& value);

/// A value as people say it: "2 workers", "4 servers", "ring", "training.threads=2".
std::string valueText(const Axis& axis, const std::string& value);

/// The values of a cell in a line, without those of `left_out`: "ring, 2 workers"; "the job" where
/// nothing is left.
std::string cellText(const std::vector<Axis>& axes, const Cell& cell,
                     const std::vector<std::size_t>& left_out);

/// Half the width of an interval, as a share of its mean: "± 1.4 %". Of an interval that reaches
/// below zero "± ?", since no speed is negative: too little is known.
std::string halfWidthText(double share);

/// Marks a speedup over a cell that exchanges nothing.
inline constexpr const char* kIdleBaseMark = "*";

/// Explains the marks `*` and `± ?`, if a table of these results has them.
std::vector<std::string> footnotes(const std::vector<CellSummary>& summaries);

/// "2"; of a cell whose number of workers changes "1 to 4".
std::string workersText(const Experiment& experiment, const Cell& cell);

/// Of a cell; 0 where nobody but workers exchanges.
int serversOf(const Cell& cell);

/// "cell 5"; "cells 5, 13 and 21". Requires a number.
std::string cellsText(const std::vector<int>& numbers);

/// "100 Mbit/s", "loopback".
std::string linkText(const Conditions& conditions);

/// "emulated", "emulated x 10", "real".
std::string computingText(const Conditions& conditions);

/// Whether an axis sets this field of the experiment's own: "link.rate".
bool isVaried(const std::vector<Axis>& axes, std::string_view field);

}  // namespace sumac::experiment
