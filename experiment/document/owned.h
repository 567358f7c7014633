#pragma once

#include <string>
#include <vector>

#include "experiment/document/experiment.h"

namespace sumac::experiment {

/// A field that the experiment sets in the job of every cell, and what of it does: a field of its
/// own, or that nothing but steps is measured.
struct Owned {
  std::string path;  // "spec.training.steps"
  std::string by;    // "spec.steps", "the experiment"
};

/// Those of an experiment, whatever its axes are.
std::vector<Owned> ownedFields(const Experiment& experiment);

}  // namespace sumac::experiment
