#include "cli/run/progress.h"

#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

namespace sumac::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxLine = 65'536;

std::optional<double> decimal(const json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number()) return std::nullopt;
  const auto value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> whole(const json& line, const char* key) {
  constexpr double kMaxExact = 9e15;  // whole numbers up to here are doubles
  const auto value = decimal(line, key);
  if (!value || *value < 0 || *value > kMaxExact) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

Result<Event> eventFrom(const json& line, std::string_view kind, std::string_view text) {
  if (kind == "result") return Event(Finished{std::string(text)});
  const auto step = whole(line, "step");
  if (!step) return Error{ErrorCode::kInvalid, "a progress line has no step"};
  if (kind == "progress") {
    return Event(Progress{*step, whole(line, "totalSteps"), whole(line, "epoch"),
                          decimal(line, "loss"), decimal(line, "perplexity"),
                          decimal(line, "samplesPerSecond"), decimal(line, "seconds")});
  }
  if (kind == "evaluation") {
    return Event(Evaluation{*step, whole(line, "epoch"), decimal(line, "testAccuracy"),
                            decimal(line, "testLoss"), decimal(line, "validPerplexity"),
                            decimal(line, "testPerplexity")});
  }
  if (kind == "checkpoint") return Event(CheckpointWritten{*step});
  return Error{ErrorCode::kInvalid, "a progress line of an unknown kind"};
}

}  // namespace

Result<Event> parseEvent(std::string_view text) {
  if (text.size() > kMaxLine) return Error{ErrorCode::kInvalid, "a progress line is too long"};
  const json line = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!line.is_object()) return Error{ErrorCode::kInvalid, "a progress line is not a JSON object"};
  const auto kind = line.find("event");
  if (kind == line.end() || !kind->is_string()) {
    return Error{ErrorCode::kInvalid, "a progress line has no event"};
  }
  return eventFrom(line, kind->get<std::string>(), text);
}

std::vector<std::string> LineReader::feed(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (!skipping_ && partial_.size() + piece.size() > limit_) {
      skipping_ = true;
      partial_.clear();
      ++dropped_;
    }
    if (!skipping_) partial_ += piece;
    if (end == std::string_view::npos) break;
    if (!skipping_) lines.push_back(std::exchange(partial_, {}));
    skipping_ = false;
    bytes.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace sumac::cli
