#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "base/core/enum_text.h"

namespace sumac {

/// Why a call failed, as far as some caller branches on it; everything else is in the message.
enum class ErrorCode {
  kInvalid,      // the input can never be accepted
  kNotFound,     // what was named does not exist
  kConflict,     // it exists already, or differs from what was expected
  kStale,        // the (term, generation) that this process follows is over
  kUnavailable,  // may work later: peer gone, disk full, timed out
  kDenied,       // the system forbids it, and will again: rights, a read-only volume
  kUnsupported,  // known, but not available in this build or on this machine
};

std::string_view toString(ErrorCode code);

/// A failure as a value: what was attempted, on what, and what to do about it.
struct Error {
  ErrorCode code = ErrorCode::kInvalid;
  std::string message;

  /// The same failure with the larger story before it: "while restoring step 1200: ...".
  Error within(std::string_view context) const;
};

std::ostream& operator<<(std::ostream& out, const Error& error);

}  // namespace sumac
