#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "common/base/result.h"
#include "operator/trainingjob/names.h"
#include "operator/trainingjob/plan.h"
#include "operator/trainingjob/record.h"

namespace sumac::trainingjob {

/// The objects of a job, whole, as they are sent to the API server. Pure but for makeSecret(),
/// which draws keys.
nlohmann::json makeService(const api::TrainingJob& job);
nlohmann::json makeConfigMap(const api::TrainingJob& job, const JobRecord& record);
nlohmann::json makeNetworkPolicy(const api::TrainingJob& job, const JobRecord& record);
Result<nlohmann::json> makeSecret(const api::TrainingJob& job, const JobRecord& record);

/// Built-in < default template of the role < the template in the job's `document`, before anything
/// is filled in. Fails with kInvalid, naming the field.
Result<nlohmann::json> mergedTemplate(const std::string& document, const Defaults& defaults,
                                      Role role);

/// One pod: built-in < default template of the role < the job's template (strategic merge) < what
/// the operator owns. Fails with kInvalid where the templates cannot be merged.
Result<nlohmann::json> makePod(const api::TrainingJob& job, const JobRecord& record,
                               const CreatePod& pod);

}  // namespace sumac::trainingjob
