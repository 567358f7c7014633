#include "base/core/error.h"

namespace sumac {

std::string_view toString(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid: return "invalid";
    case ErrorCode::kNotFound: return "not found";
    case ErrorCode::kConflict: return "conflict";
    case ErrorCode::kStale: return "stale";
    case ErrorCode::kUnavailable: return "unavailable";
    case ErrorCode::kDenied: return "denied";
    case ErrorCode::kUnsupported: return "unsupported";
  }
  return "unknown";
}

Error Error::within(std::string_view context) const {
  return Error{code, std::string(context) + ": " + message};
}

std::ostream& operator<<(std::ostream& out, const Error& error) {
  return out << error.code << ": " << error.message;
}

}  // namespace sumac
