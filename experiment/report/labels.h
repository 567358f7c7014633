#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/cells/cells.h"

namespace sumac::experiment {

/// What an axis is called: "workers", "threads" of the field training.threads; with more of the
/// field's name where another axis has the same.
std::string axisText(const std::vector<Axis>& axes, std::size_t axis);

/// "cell 5"; "cells 5, 13 and 21". Requires a number.
std::string cellsText(const std::vector<int>& numbers);

/// Of `lacking`, what RunFigures::lacking_cores says of each cell: beside which cells others took
/// so much of the cores that their times may be theirs, and what to do; empty: beside none.
std::string besideOthersText(const std::vector<Cell>& cells,
                             const std::vector<std::optional<double>>& lacking);

/// A value as people say it: "2 workers", "4 servers", "ring", "threads=2".
std::string valueText(const std::vector<Axis>& axes, std::size_t axis, const std::string& value);

/// The values of a cell in a line, without those of `left_out` and those that all cells have:
/// "ring, 2 workers"; "the job" where nothing is left.
std::string cellText(const std::vector<Axis>& axes, const Cell& cell,
                     const std::vector<std::size_t>& left_out);

/// The same of all cells. Two that differ beside `left_out` have different texts.
std::vector<std::string> cellTexts(const std::vector<Axis>& axes, const std::vector<Cell>& cells,
                                   const std::vector<std::size_t>& left_out);

/// Half the width of an interval, as a share of its mean: "± 1.4 %". Of an interval that reaches
/// below zero "± ?", since no speed is negative: too little is known.
std::string halfWidthText(double share);

/// What is measured, for people: "67,387", "84.10 %", "112.3".
std::string measuredText(Metric metric, double value);

/// Marks a speedup over a cell that exchanges nothing.
inline constexpr const char* kIdleBaseMark = "*";

/// "2"; of a cell whose number of workers changes "1 to 4".
std::string workersText(const Experiment& experiment, const Cell& cell);

/// "1 worker at 0 s, 4 workers at 20 s".
std::string scriptText(const std::vector<ScaleStep>& script);

/// "100 Mbit/s", "loopback".
std::string linkText(const Conditions& conditions);

/// "emulated", "emulated x 10", "real".
std::string computingText(const Conditions& conditions);

/// What a job trains, for people: "lenet5"; "3 layers of its own, 7850 parameters", as far as they
/// are known.
std::string networkText(const job::TrainingJob& job);

/// On what: "fashion-mini", "/data/mnist", "generated text of 1000 words".
std::string dataText(const job::TrainingJob& job);

/// How: "sgd, learning rate 0.05, momentum 0.9".
std::string optimizerText(const job::TrainingJob& job);

}  // namespace sumac::experiment
