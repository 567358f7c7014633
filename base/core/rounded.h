#pragma once

namespace sumac {

/// Six significant digits: enough to read, and it keeps reports short. Numbers below 1e-303 stay as
/// they are.
double rounded(double value);

}  // namespace sumac
