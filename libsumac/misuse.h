#pragma once

#include <stdexcept>
#include <string>

namespace sumac::program {

/// A call of the program's that is wrong: thrown before anything has changed, and caught by the C
/// functions, which answer SUMAC_MISUSE and keep the reason.
class Misuse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void require(bool is_right, const char* what) {
  if (!is_right) throw Misuse(what);
}

}  // namespace sumac::program
