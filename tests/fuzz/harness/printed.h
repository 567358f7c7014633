#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace sumac::fuzz {

/// As JSON text; bytes that are not UTF-8 are replaced.
inline std::string printed(const nlohmann::json& value, int indent = -1) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace sumac::fuzz
