// What the API server said when it said no.
#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "kube/api/members.h"
#include "kube/client/client.h"

namespace sumac::kube {
namespace {

using api::textOf;
using nlohmann::json;

/// Of a body that is no Status object, as proxies and load balancers send them.
constexpr std::size_t kMaxQuotedBody = 200;
constexpr std::int64_t kLongestRetryAfter = 120;

std::string firstWords(const std::string& body) {
  std::string words;
  for (const char c : body.substr(0, kMaxQuotedBody))
    words += c >= ' ' && c <= '~' ? c : ' ';
  return body.size() > kMaxQuotedBody ? words + "..." : words;
}

std::string sentence(const std::string& asked, const Failure& failure, const std::string& said) {
  std::string text = asked + ": " + std::to_string(failure.status);
  if (!failure.reason.empty()) text += " " + failure.reason;
  return said.empty() ? text : text + ": " + said;
}

}  // namespace

bool Failure::isTransient() const {
  if (is_too_long) return false;
  return status == 0 || status == 408 || status == 429 || status == 500 || status == 502 ||
         status == 503 || status == 504;
}

Failure failureOf(const std::string& asked, const json& status) {
  Failure failure;
  if (!status.is_object()) return Failure{0, "", asked + ": a failure without a Status", {}};
  const auto code = status.find("code");
  if (code != status.end() && code->is_number_integer()) failure.status = code->get<int>();
  failure.reason = textOf(status, "reason");
  const auto details = status.find("details");
  if (details != status.end() && details->is_object()) {
    const auto seconds = details->find("retryAfterSeconds");
    if (seconds != details->end() && seconds->is_number_integer()) {
      const auto value = seconds->get<std::int64_t>();
      if (value > 0) {
        failure.retry_after = std::chrono::seconds(std::min(value, kLongestRetryAfter));
      }
    }
  }
  failure.message = sentence(asked, failure, textOf(status, "message"));
  return failure;
}

Failure failureOf(const std::string& asked, const Response& response) {
  if (response.status == 0) {
    return Failure{.status = 0,
                   .reason = "",
                   .message = asked + ": " + response.error,
                   .retry_after = {},
                   .is_unsent = response.is_unsent,
                   .is_stopped = response.is_stopped,
                   .is_too_long = response.is_too_long};
  }
  const json body = json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  const bool is_status = body.is_object() && textOf(body, "kind") == "Status";
  Failure failure = is_status ? failureOf(asked, body) : Failure();
  failure.status = response.status;  // what HTTP says counts
  if (response.retry_after) failure.retry_after = response.retry_after;
  failure.message =
      sentence(asked, failure, is_status ? textOf(body, "message") : firstWords(response.body));
  return failure;
}

}  // namespace sumac::kube
