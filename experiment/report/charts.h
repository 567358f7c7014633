#pragma once

#include <string>
#include <vector>

#include "base/report/bar_chart.h"
#include "base/report/drawing.h"
#include "base/report/report.h"

#include "experiment/findings/findings.h"

namespace sumac::experiment {

/// A picture of a page, and a file of its own.
struct Picture {
  std::string name;  // of the file, without ".svg"
  report::Drawing drawing;
};

/// Samples and workers' batches a second, speedup and efficiency: over the number of workers where
/// an axis sets it, else a bar for each cell. What was not measured has no picture.
std::vector<Picture> speedPictures(const Findings& findings);

/// What cells are compared by where that is what they have learned, as speedPictures(); else empty.
std::vector<Picture> learnedPictures(const Findings& findings);

/// A chart of where the time of a step went, and a bar of it.
report::BarChart phaseChart(const std::string& title);
report::Bar phaseBar(const std::string& name, const StepPhases& phases);

/// Where the time of a step went, a bar for each cell; empty where no run told.
std::vector<Picture> phasePictures(const Findings& findings);

/// Predicted beside measured speed, a bar for each cell; empty where nothing was predicted.
std::vector<Picture> predictionPictures(const Findings& findings);

/// Of runs whose number of workers changes: workers, samples a second and loss over time, a line
/// for each run, and where the time of a step went with each number, of the first run of each cell;
/// empty where there are none.
std::vector<Picture> scalePictures(const Findings& findings);

/// The drawings of a section, whose pictures are added to `all` of an answer.
report::Pictures addPictures(std::vector<Picture> added, std::vector<Picture>& all);

}  // namespace sumac::experiment
