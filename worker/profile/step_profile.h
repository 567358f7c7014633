#pragma once

#include "base/core/clock.h"
#include "base/core/result.h"
#include "job/document/training_job.h"
#include "job/model/network.h"
#include "job/profile/job_profile.h"
#include "job/profile/profile_use.h"
#include "kernels/kernels.h"

namespace sumac::worker {

/// How long and how often to measure: until both a time and a number of samples are reached.
struct ProfileEffort {
  Duration least_time = std::chrono::milliseconds(500);  // of each of the three measurements
  int least_samples = 5;
  int most_samples = 500;
  int cores = 1;  // where they are more than the share's threads, crowded cores are measured, too
};

/// Measures a worker's step with synthetic data, on the calling thread and share.threads - 1 more:
/// the passes as they run in a job; again layer by layer, which is a little slower; the update; and
/// passes while other workers compute on all other cores, as far as there is memory for them.
/// Fails with kUnsupported where the engine cannot compute the network, and with kInvalid where the
/// share has more parts than samples or needs more memory than this machine has.
Result<BatchProfile> profileStep(const job::TrainingSpec& training, const model::Network& network,
                                 const Kernels& kernels, const Share& share, const Clock& clock,
                                 const ProfileEffort& effort = {});

}  // namespace sumac::worker
