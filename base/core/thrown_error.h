#pragma once

#include <stdexcept>

#include "base/core/error.h"

namespace sumac {

/// An error on its way to who ends the training, or to the root of a thread, endOfException(),
/// through code that can neither return nor mend it: data on a disk that are damaged or gone in the
/// middle of training.
class ThrownError : public std::runtime_error {
 public:
  explicit ThrownError(const Error& error) : std::runtime_error(error.message), code_(error.code) {}

  Error error() const { return {code_, what()}; }

 private:
  ErrorCode code_;
};

}  // namespace sumac
