#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/telemetry/address.h"
#include "base/telemetry/http_answer.h"

namespace sumac {

struct HttpGetRequest {
  Address from;                                    // in numbers: no name is looked up
  std::string path;                                // "/progress"
  Duration timeout = std::chrono::seconds(2);      // for all of it, connecting included
  std::size_t most_bytes = std::size_t{64} << 10;  // of the body
};

/// Asks once, on a connection of its own, and blocks the calling thread until the whole answer is
/// there. An answer of any status is an answer; redirects are not followed. Fails with kUnavailable
/// when none came in time or `stop` was requested, with kInvalid if the answer is not HTTP or
/// longer than allowed. Safe from any thread.
Result<HttpAnswer> httpGet(const HttpGetRequest& request, const std::stop_token& stop);

}  // namespace sumac
