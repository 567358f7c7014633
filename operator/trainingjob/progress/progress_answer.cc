#include "operator/trainingjob/progress/progress_answer.h"

#include <nlohmann/json.hpp>

#include "kube/api/fields.h"

namespace sumac::trainingjob {
namespace {

using nlohmann::json;

Error useless(const std::string& why) {
  return {ErrorCode::kInvalid, "the answer of /progress cannot be used: " + why};
}

}  // namespace

Result<ProgressAnswer> progressFromAnswer(const std::string& body, const ProgressTarget& target) {
  const json answer = json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (answer.is_discarded()) return useless("it is not JSON");
  std::string problem;
  const api::internal::Fields fields(&answer, "", problem);
  const std::string uid = fields.requiredText("jobUid");
  const auto attempt = fields.integer("attempt");
  if (!problem.empty()) return useless(problem);
  if (uid != target.uid) return useless("it is of the job with uid " + api::internal::shown(uid));
  if (attempt != target.attempt) return useless("it is of another attempt");
  auto progress = progressFromJson(answer);
  if (!progress) return useless(progress.error().message);
  progress->last_update.reset();  // the operator's own word
  ProgressAnswer found{.progress = *std::move(progress), .membership = {}};
  const auto membership = answer.find("membership");
  if (membership == answer.end()) return found;
  auto members = membershipReportFromJson(*membership);
  if (!members) return useless(members.error().message);
  found.membership = *std::move(members);
  return found;
}

}  // namespace sumac::trainingjob
