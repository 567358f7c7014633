#pragma once

#include <string>
#include <vector>

#include "common/progress/training_curve.h"

namespace sumac {

/// About `wanted` round numbers that cover [low, high], 1, 2 or 5 times a power of ten apart.
std::vector<double> ticks(double low, double high, int wanted);

/// The curve as an SVG image of 800 x 450: loss on the left axis, test accuracy or
/// validation perplexity on the right one.
/// Long curves are averaged to fit the width. The same curve always gives the same text.
std::string curveSvg(const TrainingCurve& curve);

}  // namespace sumac
