#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "kube/api/training_job.h"
#include "operator/trainingjob/state/actions.h"
#include "operator/trainingjob/state/record.h"

namespace sumac::trainingjob {

/// The objects of a job, complete, as they are sent to the API server. Pure, except makeSecret(),
/// which generates keys. Documents and templates are parsed trees: no function here parses text.
nlohmann::json makeService(const api::TrainingJob& job);
nlohmann::json makeConfigMap(const api::TrainingJob& job, const JobRecord& record);
/// Lets the members reach each other, and nobody else reach them.
nlohmann::json makeNetworkPolicy(const api::TrainingJob& job);
/// Lets `readers` read health, metrics and progress of the members, too. Requires a namespace in
/// it.
nlohmann::json makeReadersPolicy(const api::TrainingJob& job, const Readers& readers);
Result<nlohmann::json> makeSecret(const api::TrainingJob& job, const JobRecord& record);

/// The pod template of a role, before any field is filled in: the built-in template, overridden by
/// the default template of the role, overridden by the template in the job's `document`. Fails with
/// kInvalid, naming the field.
Result<nlohmann::json> mergedTemplate(const JsonTree& document, const Defaults& defaults,
                                      Role role);

/// One pod: the merged template, with missing fields filled in, overridden by the fields that the
/// operator owns. Fails with kInvalid if the templates cannot be merged.
Result<nlohmann::json> makePod(const api::TrainingJob& job, const JobRecord& record,
                               const CreatePod& pod);

}  // namespace sumac::trainingjob
