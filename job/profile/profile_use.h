#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "job/profile/job_profile.h"

namespace sumac {

/// What somebody wants to know from a profile, and where.
struct ProfileNeed {
  std::string version;     // of Sumac
  ProfileMachine machine;  // an empty `kernels` means any
  ProfileSubject subject;  // `parts` is not compared: batches say theirs
};

/// Why a profile says nothing about this job on this machine, and what to do: one sentence. Empty
/// if it does. A value of `need` that is empty or 0 is not compared.
std::string whyNot(const JobProfile& profile, const ProfileNeed& need);

/// A worker's share of a mini-batch.
struct Share {
  std::int64_t samples = 0;
  int parts = 1;
  int threads = 1;

  bool operator==(const Share&) const = default;
};

/// That no batch is near it, and the command that measures one.
std::string notProfiledText(const Share& share);

/// What a step of such a share takes: as measured; else between the two measured sizes of a part
/// that are next to it, by as many threads; else, up to twice the largest, in proportion to the
/// samples, and down to half the smallest one, as the two smallest differ. Parts are computed one
/// after the other. Fails with kNotFound and notProfiledText().
Result<BatchProfile> batchFor(const JobProfile& profile, const Share& share);

/// One tensor of a backward pass.
struct GradientTime {
  std::string tensor;
  std::int64_t values = 0;
  double seconds = 0;  // from the tensor before, the first one from the loss, until this is final

  bool operator==(const GradientTime&) const = default;
};

/// A backward pass in the order in which gradients become final.
struct BackwardTimes {
  std::vector<GradientTime> tensors;
  double rest_seconds = 0;  // after the last tensor
};

/// The layers' times, in proportion, so that they sum up to the median of the backward pass. Where
/// layers have no times of their own, all tensors become final at its end.
BackwardTimes backwardTimes(const BatchProfile& batch);

}  // namespace sumac
