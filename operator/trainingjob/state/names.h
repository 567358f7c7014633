#pragma once

#include <string>

#include "base/core/slot.h"
#include "kube/api/labels.h"
#include "kube/api/training_job.h"
#include "kube/client/resource.h"
#include "operator/trainingjob/state/child.h"
#include "operator/trainingjob/state/record.h"

namespace sumac::trainingjob {

inline constexpr int kDataPort = 7070;
inline constexpr int kStatusPort = 7071;  // health, metrics, progress
inline constexpr const char* kJobMount = "/etc/sumac/job";
inline constexpr const char* kCodeMount = "/etc/sumac/code";
inline constexpr const char* kKeysMount = "/etc/sumac/keys";
using api::kMainContainer;
inline constexpr const char* kTerminationFile = "/dev/termination-log";

// Entries of the ConfigMap and of the Secret; the Secret also has keyName(slot) for each slot.
inline constexpr const char* kJobEntry = "job.json";
inline constexpr const char* kOperatorEntry = "operator.json";
inline constexpr const char* kPublicKeysEntry = "public";
inline constexpr const char* kTokenEntry = "token";

/// Annotation on pods: the hash of the templates that they were made from.
inline constexpr const char* kTemplateHashAnnotation = "sumac.dev/template-hash";

/// Names are derived from the job, so creating an object twice is harmless.
/// "worker-3".
std::string memberName(Slot slot);
std::string podName(const std::string& job, Slot slot);
/// Of kReaders: what its name begins with.
std::string childName(const std::string& job, const std::string& uid, Child child);
/// "<job>-readers-<hash>": other namespaces, another name, as we may not change what exists.
std::string readersName(const std::string& job, const Readers& readers);

/// Label selectors "sumac.dev/job-name=...": of all members, and of the workers only
/// (status.workerSelector).
std::string memberSelector(const std::string& job);
std::string workerSelector(const std::string& job);

const kube::Resource& resourceOf(Child child);

/// Kind and name, "pod lenet5-worker-0", "Service lenet5": how messages, refusals and holds name an
/// object.
std::string kindAndName(const kube::Resource& resource, const std::string& name);
std::string kindAndName(const api::TrainingJob& job, Child child);

}  // namespace sumac::trainingjob
