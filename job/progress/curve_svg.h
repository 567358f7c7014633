#pragma once

#include <string>

#include "job/progress/training_curve.h"

namespace sumac {

/// The curve as an SVG image of 800 x 450: loss on the left axis, test accuracy or
/// validation perplexity on the right one.
/// Long curves are averaged to fit the width. The same curve always gives the same text.
std::string curveSvg(const TrainingCurve& curve);

}  // namespace sumac
