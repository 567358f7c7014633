#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "kube/api/json.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/children/make_record.h"

namespace sumac::trainingjob {

/// A job as it comes from the API server, from the manifest of aManifest() as a test changed it.
api::TrainingJob jobOf(nlohmann::json manifest);

Defaults someDefaults();

/// The record of a valid job.
JobRecord recordOf(const api::TrainingJob& job, const Defaults& defaults = someDefaults());

/// The pod of this slot in attempt 0, made of a valid job.
nlohmann::json podOf(const nlohmann::json& manifest, Slot slot,
                     const Defaults& defaults = someDefaults());

/// Compares a whole object, as the API server gets it, with tests/golden/output/operator/children/
/// `name`.json.
void checkObject(const std::string& name, const nlohmann::json& object);

/// Of a pod: the container `sumac`.
const nlohmann::json& mainOf(const nlohmann::json& pod);

/// The item of a list whose `key` is `value`; null where there is none.
nlohmann::json itemIn(const nlohmann::json& list, const char* key, const std::string& value);

/// The value of a variable of the main container; empty: it is not there.
std::string variableOf(const nlohmann::json& pod, const std::string& name);

}  // namespace sumac::trainingjob
