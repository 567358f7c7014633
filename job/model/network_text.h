#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "job/model/network.h"

namespace sumac::model {

/// A network as one JSON object on one line: `name`, `input`, `layers` as in a job document, and of
/// a text network with a vocabulary `vocabulary`. Equal networks have equal texts.
std::string networkText(const NetworkSpec& network);

/// The reverse: resolve() makes the same of it. Fails with kInvalid and what is wrong with the
/// text, which may be of any origin.
Result<NetworkSpec> networkFromText(std::string_view text);

}  // namespace sumac::model
