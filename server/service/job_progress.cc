#include "server/service/job_progress.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace sumac::server {
namespace {

using nlohmann::json;

constexpr Step kMostSteps = Step{1} << 52;  // such numbers are exact in every JSON reader
constexpr double kLargestDecimal = 1e99;    // the status' decimals have exponents of two digits

std::optional<json> objectIn(std::string_view text) {
  auto document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return std::nullopt;
  return document;
}

std::string eventOf(const json& document) {
  const auto found = document.find("event");
  return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::int64_t> wholeIn(const json& document, const char* name) {
  const auto found = document.find(name);
  if (found == document.end() || !found->is_number_integer()) return std::nullopt;
  const auto value = found->get<std::int64_t>();
  if (value < 0 || value > kMostSteps) return std::nullopt;
  return value;
}

double decimalIn(const json& document, const char* name) {
  const auto found = document.find(name);
  if (found == document.end() || !found->is_number()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return found->get<double>();
}

/// As the status' decimals are written; empty for what they cannot hold.
std::string decimalText(double value) {
  if (!std::isfinite(value) || std::abs(value) > kLargestDecimal) return {};
  if (value != 0 && std::abs(value) < 1 / kLargestDecimal) return "0";
  return json(value).dump();
}

json attemptOf(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = failed == std::errc() && end == text.data() + text.size();
  return is_number ? json(number) : json(text);
}

std::optional<std::int64_t> secondsLeft(const JobProgress& progress, std::int64_t batch_size) {
  const double left =
      static_cast<double>(progress.total_steps - progress.step) * static_cast<double>(batch_size);
  const double seconds = left / progress.samples_per_second;
  if (!std::isfinite(seconds) || seconds < 0 || seconds > static_cast<double>(kMostSteps)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(std::ceil(seconds));
}

}  // namespace

std::optional<JobProgress> progressFromLine(std::string_view json) {
  const auto document = objectIn(json);
  if (!document) return std::nullopt;
  const std::string event = eventOf(*document);
  if (event != "progress" && event != "interim") return std::nullopt;
  const auto step = wholeIn(*document, "step");
  const auto total = wholeIn(*document, "totalSteps");
  const auto epoch = wholeIn(*document, "epoch");
  if (!step || !total || !epoch || *step > *total) return std::nullopt;
  return JobProgress{*step,
                     *total,
                     *epoch,
                     decimalIn(*document, "loss"),
                     decimalIn(*document, "samplesPerSecond"),
                     event == "interim"};
}

HttpAnswer progressAnswer(const JobIdentity& job, const std::optional<JobProgress>& progress) {
  constexpr const char* kType = "application/json";
  if (!progress) return {503, kType, R"({"message":"no step is done yet"})"};
  nlohmann::ordered_json document{
      {"jobUid", job.uid},
      {"attempt", attemptOf(job.attempt)},
      {"step", progress->step},
      {"totalSteps", progress->total_steps},
      {"percentage",
       progress->total_steps == 0 ? 100 : 100 * progress->step / progress->total_steps},
      {"epoch", progress->epoch},
      {"loss", decimalText(progress->loss)},
      {"samplesPerSecond", decimalText(progress->samples_per_second)},
  };
  if (const auto left = secondsLeft(*progress, job.batch_size)) {
    document["estimatedRemainingSeconds"] = *left;
  }
  return {200, kType, document.dump(-1, ' ', false, json::error_handler_t::replace)};
}

}  // namespace sumac::server
