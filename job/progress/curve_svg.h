#pragma once

#include <string>

#include "job/progress/training_curve.h"

namespace sumac {

/// The curve as an SVG image, light or dark as its reader prefers: above the training loss, each
/// value faint and their mean over a hundredth of the steps in full color, and the loss of the test
/// or validation split; below accuracy or perplexity, where they were measured. The last value
/// stands at a line's end, and a ring marks the best evaluation. Long curves are averaged to fit
/// the width. The same curve always gives the same text.
std::string curveSvg(const TrainingCurve& curve);

}  // namespace sumac
