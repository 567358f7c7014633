#include "cli/plan/this_machine.h"

#include <nlohmann/json.hpp>

#include "base/core/clock.h"
#include "cli/programs/ask_program.h"

namespace sumac::cli {
namespace {

/// By `sumac-worker data info`.
Result<std::int64_t> countSamples(const std::filesystem::path& programs, const std::string& job) {
  const auto answer = askWorker(programs, {"data", "info", "/dev/stdin", "-o", "json"}, job);
  if (!answer) return answer.error();
  const auto json = nlohmann::json::parse(*answer, nullptr, /*allow_exceptions=*/false);
  for (const char* const count : {"/splits/train/samples", "/splits/train/tokens"}) {
    const nlohmann::json::json_pointer place(count);
    if (json.is_object() && json.contains(place)) return json.at(place).get<std::int64_t>();
  }
  return Error{ErrorCode::kInvalid, "sumac-worker data info tells no training samples"};
}

}  // namespace

ThisMachine thisMachine(const std::filesystem::path& programs) {
  return {.look = [programs](const std::string& job) { return profileHere(programs, job); },
          .measure =
              [programs](const job::Reading& reading, ProfileOptions options, Streams streams) {
                options.programs = programs;
                return measureProfile(reading, options, SystemClock(), streams);
              },
          .count = [programs](const std::string& job) { return countSamples(programs, job); }};
}

}  // namespace sumac::cli
