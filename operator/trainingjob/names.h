#pragma once

#include <string>

#include "common/base/slot.h"
#include "operator/trainingjob/observed.h"

namespace sumac::trainingjob {

inline constexpr int kDataPort = 7070;
inline constexpr int kStatusPort = 7071;  // health, metrics, progress
inline constexpr const char* kJobMount = "/etc/sumac/job";
inline constexpr const char* kKeysMount = "/etc/sumac/keys";
inline constexpr const char* kMainContainer = "sumac";
inline constexpr const char* kTerminationFile = "/dev/termination-log";

// Entries of the ConfigMap and of the Secret; the latter has one more a slot, keyName(slot).
inline constexpr const char* kJobEntry = "job.json";
inline constexpr const char* kOperatorEntry = "operator.json";
inline constexpr const char* kPublicKeysEntry = "public";

/// On pods: the hash of the templates they were made from.
inline constexpr const char* kTemplateHashAnnotation = "sumac.dev/template-hash";

/// Fixed names, so that creating twice is harmless (design.md section 4).
std::string podName(const std::string& job, Slot slot);
std::string childName(const std::string& job, const std::string& uid, Child child);

/// "job=…" selectors: of all members, and of the workers (status.workerSelector).
std::string memberSelector(const std::string& job);
std::string workerSelector(const std::string& job);

/// Slot 0: server 0, or worker 0 where there are no servers.
Slot coordinatorOf(const JobRecord& record);

}  // namespace sumac::trainingjob
