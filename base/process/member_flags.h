#pragma once

#include <array>
#include <string>

#include "base/process/flag.h"

/// The flags of a job's members, sumac-worker and sumac-server, and their environment variables:
/// the one table that the two programs, `sumac run` and the operator use.
namespace sumac::member_flags {

inline constexpr Flag kJob{"--job", "SUMAC_JOB", "FILE", "Job document, YAML or JSON"};
inline constexpr Flag kIndex{"--index", "SUMAC_INDEX", "N",
                             "Number of this member in its role, from 0; server 0 coordinates, or "
                             "worker 0 where the workers sum the gradients"};
inline constexpr Flag kCoordinator{"--coordinator", "SUMAC_COORDINATOR", "ENDPOINT",
                                   "Where the coordinator listens, tcp://HOST:PORT"};
inline constexpr Flag kAttempt{"--attempt", "SUMAC_ATTEMPT", "N",
                               "Attempt of the job; the same for all members"};
inline constexpr Flag kWorkers{"--workers", "SUMAC_WORKERS", "N",
                               "Workers of this attempt, instead of the document's"};
inline constexpr Flag kElastic{
    "--elastic", "SUMAC_ELASTIC", "true|false",
    "Members may come, go and be lost while the job trains on; the same for all members [false]"};
inline constexpr Flag kOrphanSeconds{
    "--orphan-seconds", "SUMAC_ORPHAN_SECONDS", "N",
    "With --elastic true: how long this member waits for another coordinator where its own is "
    "lost"};
inline constexpr int kMostOrphanSeconds = 86'400;
/// Neither the operator nor `sumac run` decides it: who tests sets it in a job's template, or in
/// the environment of `sumac run`.
inline constexpr Flag kFlappingSeconds{
    "--flapping-seconds", "SUMAC_FLAPPING_SECONDS", "N",
    "With --elastic true, of the coordinator: how long a member waits that was lost three times in "
    "60 s; 0, for tests: not at all"};
inline constexpr int kMostFlappingSeconds = 86'400;
inline constexpr Flag kLocalWorkers{
    "--local-workers", "SUMAC_LOCAL_WORKERS", "N",
    "Workers on this machine, which share its CPUs where training.threads is auto"};
inline constexpr Flag kListen{"--listen", "SUMAC_LISTEN", "ENDPOINT",
                              "Where other members connect; port 0 picks one"};
inline constexpr Flag kStatusListen{
    "--status-listen", "SUMAC_STATUS_LISTEN", "HOST:PORT",
    "Numeric address for /healthz, /readyz, /metrics and, of the coordinator, /progress over "
    "HTTP; port 0 picks one [no HTTP]"};
inline constexpr Flag kJobUid{"--job-uid", "SUMAC_JOB_UID", "UID",
                              "The TrainingJob's uid, which /progress repeats"};
inline constexpr Flag kJobNamespace{
    "--job-namespace", "SUMAC_JOB_NAMESPACE", "NAMESPACE",
    "The TrainingJob's namespace: with its name, whose --output is"};
inline constexpr Flag kKeys{"--keys", "SUMAC_KEYS", "DIR",
                            "Folder with this member's files `private` and `public`"};
inline constexpr Flag kOutput{"--output", "SUMAC_OUTPUT", "DIR",
                              "Folder for the model, the result, the metrics and the curve [none]"};
inline constexpr Flag kTensorBoard{"--tensorboard", "SUMAC_TENSORBOARD", "true|false",
                                   "Writes events for TensorBoard into --output where "
                                   "spec.output.tensorboard is left out [false]"};
inline constexpr Flag kCheckpoint{"--checkpoint", "SUMAC_CHECKPOINT", "DIR",
                                  "Folder to resume from and to write checkpoints to [none]"};
/// Of a user's program alone.
inline constexpr Flag kCode{"--code", "SUMAC_CODE", "DIR",
                            "Folder with the sources of spec.program.code [the current one]"};
inline constexpr Flag kDataDir{"--data-dir", "SUMAC_DATA_DIR", "DIR",
                               "Folder of the bundled data sets [found beside the program]"};
inline constexpr Flag kTerminationFile{
    "--termination-file", "SUMAC_TERMINATION_FILE", "FILE",
    "Gets the result, or the cause of a failure, at most 1,024 bytes"};
inline constexpr Flag kReadyFd{"--ready-fd", "SUMAC_READY_FD", "N",
                               "File descriptor that gets the endpoint as a line, once it listens"};
inline constexpr Flag kProgressFd{"--progress-fd", "SUMAC_PROGRESS_FD", "N",
                                  "File descriptor that gets progress as JSON lines"};
inline constexpr Flag kKernels{"--kernels", "SUMAC_KERNELS", "NAME",
                               "Best instruction set to use: baseline, avx2 or avx512"};
inline constexpr Flag kLogLevel{"--log-level", "SUMAC_LOG_LEVEL", "LEVEL",
                                "debug, info, warn or error"};
inline constexpr Flag kLogFormat{"--log-format", "SUMAC_LOG_FORMAT", "FORMAT",
                                 "text, or json: one object a line for log collectors"};

inline constexpr Flag kTrace{"--trace", "SUMAC_TRACE", "FROM:TO",
                             "Steps to trace: what is done when, and how long it takes [none]"};
inline constexpr Flag kTraceDir{
    "--trace-dir", "SUMAC_TRACE_DIR", "DIR",
    "Folder for this member's part of the trace, <role>-<index>.trace [the current one]"};

inline constexpr Flag kEmulateCompute{
    "--emulate-compute", "SUMAC_EMULATE_COMPUTE", "DIR",
    "Computes one gradient, sends it in every step, and waits for as long as computing takes; "
    "what it takes is measured once, and kept in DIR [computes]"};
inline constexpr Flag kEmulateProfile{
    "--emulate-profile", "SUMAC_EMULATE_PROFILE", "FILE",
    "Like --emulate-compute, but takes the times from this profile of the job [computes]"};
inline constexpr Flag kSlowdown{
    "--slowdown", "SUMAC_SLOWDOWN", "FACTOR",
    "With --emulate-compute or --emulate-profile: waits this many times as long"};

/// A worker that trains nothing and measures its exchange instead, and the variable that says so to
/// the pods of `sumac bench exchange --print-job`.
inline constexpr const char* kExchangeOnly = "--exchange-only";
inline constexpr const char* kExchangeOnlyVariable = "SUMAC_EXCHANGE_ONLY";

/// Of emulated computing: a folder. A worker reads the file slow-<index> there before each step: a
/// factor by which its computing takes longer. Without the file it is 1.
inline constexpr const char* kSlowFolder = "--slow-dir";
inline constexpr const char* kSlowFile = "slow-";

/// The packed file that a worker reads in place of its job's files, which it was packed from.
inline constexpr const char* kPackedData = "--packed-data";

/// In a pod: its address, for the values of other variables.
inline constexpr const char* kPodIpVariable = "SUMAC_POD_IP";

/// The job's secret token, in the job hash of every message. Not a flag: other users of the machine
/// can read those.
inline constexpr const char* kJobTokenVariable = "SUMAC_JOB_TOKEN";
/// A file with the token, as pods get it: what prints a pod's environment does not print the token.
inline constexpr const char* kJobTokenFileVariable = "SUMAC_JOB_TOKEN_FILE";

/// The token of this process's job: what the file holds, if there is one, else what the variable
/// holds; empty where there is neither. Throws std::runtime_error, which says what to do, if the
/// file cannot be read or is empty: without its token a member would only be refused by the others.
std::string jobToken();

/// For a user's program: the variable with the path of Sumac's library, and the name of that file
/// beside our programs. A variable that the user has set stays.
inline constexpr const char* kLibraryVariable = "SUMAC_LIBRARY";
inline constexpr const char* kLibraryFile = "libsumac.so.1";

/// The variables from which numerical libraries read their number of threads. In a user's program
/// all are spec.program.threads, since the bits depend on it.
inline constexpr std::array kThreadVariables{"OMP_NUM_THREADS", "MKL_NUM_THREADS",
                                             "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"};

/// The variables that the operator decides; a job's template cannot set them.
inline constexpr std::array kOwnedByOperator{kPodIpVariable,
                                             kJob.variable,
                                             kJobUid.variable,
                                             kIndex.variable,
                                             kElastic.variable,
                                             kAttempt.variable,
                                             kWorkers.variable,
                                             kListen.variable,
                                             kOrphanSeconds.variable,
                                             kStatusListen.variable,
                                             kKeys.variable,
                                             kCoordinator.variable,
                                             kTerminationFile.variable,
                                             kCheckpoint.variable,
                                             kOutput.variable,
                                             kCode.variable,
                                             kJobTokenVariable,
                                             kJobTokenFileVariable,
                                             kJobNamespace.variable};

/// The variables that `sumac run` decides: it hides those of its own environment from the members,
/// which give them as flags.
inline constexpr std::array kOwnedByRun{kJob.variable,
                                        kJobUid.variable,
                                        kJobNamespace.variable,
                                        kIndex.variable,
                                        kElastic.variable,
                                        kOrphanSeconds.variable,
                                        kAttempt.variable,
                                        kWorkers.variable,
                                        kListen.variable,
                                        kStatusListen.variable,
                                        kKeys.variable,
                                        kCoordinator.variable,
                                        kTerminationFile.variable,
                                        kCheckpoint.variable,
                                        kOutput.variable,
                                        kTensorBoard.variable,
                                        kCode.variable,
                                        kLocalWorkers.variable,
                                        kReadyFd.variable,
                                        kProgressFd.variable,
                                        kLogLevel.variable,
                                        kLogFormat.variable,
                                        kTrace.variable,
                                        kTraceDir.variable,
                                        kJobTokenVariable,
                                        kJobTokenFileVariable,
                                        kExchangeOnlyVariable,
                                        kEmulateCompute.variable,
                                        kEmulateProfile.variable,
                                        kSlowdown.variable};

}  // namespace sumac::member_flags
