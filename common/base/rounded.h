#pragma once

namespace sumac {

/// Six significant digits: enough to read, and it keeps reports short.
double rounded(double value);

}  // namespace sumac
