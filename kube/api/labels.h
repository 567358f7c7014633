#pragma once

namespace sumac::api {

/// Keys of the labels that say which member of which job an object is.
inline constexpr const char* kJobLabel = "sumac.dev/job-name";
inline constexpr const char* kRoleLabel = "sumac.dev/role";  // "worker" or "server"
inline constexpr const char* kIndexLabel = "sumac.dev/replica-index";
inline constexpr const char* kAttemptLabel = "sumac.dev/attempt";

/// The container of a member's pod in which Sumac runs.
inline constexpr const char* kMainContainer = "sumac";

}  // namespace sumac::api
