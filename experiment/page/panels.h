#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "experiment/report/findings.h"

namespace sumac::experiment {

/// The cells that share a picture, and the axes that its title or its own axis says.
struct Panel {
  std::vector<std::size_t> cells;
  std::vector<std::size_t> left_out;
  std::string suffix;  // of the title
};

/// Whether the largest is so many times the smallest above 0 that one scale does not show both.
bool isWide(const std::vector<double>& values);

/// Of pictures over the number of workers, which is the axis `workers`: one, or one for each value
/// of the first other axis where too many series would share it.
std::vector<Panel> linePanels(const Findings& findings, std::size_t workers);

/// Of pictures with a bar for each cell, so long: one, or one for each value of the first axis
/// where the shortest bars would not be seen.
std::vector<Panel> barPanels(const Findings& findings,
                             const std::function<double(const CellSummary&)>& length);

}  // namespace sumac::experiment
