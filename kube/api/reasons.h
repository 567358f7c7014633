#pragma once

namespace sumac::api::reasons {

// Reasons of conditions and events: words for programs, listed with what to do in docs/operator.md,
// which a test compares with this file. A word, once released, keeps its meaning. Beside these,
// Kubernetes' own words for what a pod waits for are passed through (pending.cc).

// Life cycle.
inline constexpr const char* kAccepted = "Accepted";      // the spec can be run
inline constexpr const char* kPending = "Pending";        // pods are created, or wait
inline constexpr const char* kRunning = "Running";        // all pods of the attempt were ready
inline constexpr const char* kActive = "Active";          // not suspended
inline constexpr const char* kSuspending = "Suspending";  // pods are ending
inline constexpr const char* kSuspended = "Suspended";    // no pods
inline constexpr const char* kResumed = "Resumed";        // a new attempt after a suspension
inline constexpr const char* kScaled = "Scaled";          // a new attempt with other workers
inline constexpr const char* kMembersChanged = "MembersChanged";  // the others trained on
inline constexpr const char* kWorkersLimited = "WorkersLimited";  // replicas above V
inline constexpr const char* kRestarting = "Restarting";          // a new attempt after a failure
inline constexpr const char* kCompleted = "Completed";            // a member wrote the result
inline constexpr const char* kNotFinished = "NotFinished";

// Why a job failed, beside the reasons of a pod's failure.
inline constexpr const char* kInvalidSpec = "InvalidSpec";
inline constexpr const char* kBackoffLimitExceeded = "BackoffLimitExceeded";
inline constexpr const char* kDeadlineExceeded = "DeadlineExceeded";
inline constexpr const char* kPreRunningDeadlineExceeded = "PreRunningDeadlineExceeded";

// How a pod failed: docs/exit-codes.md.
inline constexpr const char* kFailedForGood = "FailedForGood";        // 1
inline constexpr const char* kUsageError = "UsageError";              // 2
inline constexpr const char* kBadConfiguration = "BadConfiguration";  // 78
inline constexpr const char* kBrokenInvariant = "BrokenInvariant";    // 134
inline constexpr const char* kResourceFailed = "ResourceFailed";      // 74
inline constexpr const char* kLostPeers = "LostPeers";                // 75
inline constexpr const char* kStopped = "Stopped";                    // 143
inline constexpr const char* kNoResult = "NoResult";                  // 0 without a result
inline constexpr const char* kOutOfMemory = "OOMKilled";              // Kubernetes' own word
inline constexpr const char* kEvicted = "Evicted";                    // Kubernetes' own word
inline constexpr const char* kKilledBySignal = "KilledBySignal";      // 129 to 159
inline constexpr const char* kStartError = "StartError";              // Kubernetes' own word
inline constexpr const char* kUnknownExitCode = "UnknownExitCode";    // all others
inline constexpr const char* kPodFailed = "PodFailed";                // ended without a code
inline constexpr const char* kPodDeleted = "PodDeleted";              // by somebody else
inline constexpr const char* kDisrupted = "Disrupted";                // without a better word
inline constexpr const char* kWorkerRefused = "WorkerRefused";        // 78, three times in a row
inline constexpr const char* kDeletionForced = "DeletionForced";      // its node is lost

// Why pods are not there yet.
inline constexpr const char* kDeletionOverdue = "DeletionOverdue";
inline constexpr const char* kNameTaken = "NameTaken";
inline constexpr const char* kCodeMissing = "CodeMissing";  // the sources of spec.program.code
inline constexpr const char* kQuotaExceeded = "QuotaExceeded";
inline constexpr const char* kPodRefused = "PodRefused";          // 422
inline constexpr const char* kForbidden = "Forbidden";            // 403, not a quota
inline constexpr const char* kRefused = "Refused";                // another answer
inline constexpr const char* kRequestFailing = "RequestFailing";  // for 30 s or more
inline constexpr const char* kTemplateChanged = "TemplateChanged";
inline constexpr const char* kInvalidTemplate = "InvalidTemplate";  // it cannot be merged
inline constexpr const char* kNewerDocument = "NewerDocument";      // fields that we do not know
inline constexpr const char* kNoCheckpoint = "NoCheckpoint";
inline constexpr const char* kCheckpointSkipped = "CheckpointSkipped";  // no room, or no rights
inline constexpr const char* kScaleDelayed = "ScaleDelayed";            // another size waits
inline constexpr const char* kScaleDoesNotFit = "ScaleDoesNotFit";      // back to the last size

}  // namespace sumac::api::reasons
