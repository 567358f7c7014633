#pragma once

#include <cmath>
#include <cstdint>

#include "base/core/version.h"
#include "exchange/plan/exchange_plan.h"
#include "job/document/training_job.h"
#include "job/model/network.h"
#include "job/profile/job_profile.h"
#include "job/profile/subject.h"

namespace sumac {

inline Timing exactly(double seconds) {
  return {seconds, seconds, seconds};
}

/// A profile of a job as no machine has it, with round numbers: a sample takes 15 us by one thread,
/// 10 us by two, a hop 50 us, a message 10 us, a byte 1 ns. Parts of 1 to 128 samples.
inline JobProfile syntheticProfile(const job::TrainingJob& job, const model::Network& network) {
  constexpr double kSample = 5e-6;
  JobProfile profile;
  profile.version = kVersion;
  profile.machine = {
      .host = "synthetic", .cpu = "none", .kernels = "baseline", .cores = 2, .quota = {}};
  profile.subject = subjectOf(job, network);
  profile.sum_bytes_per_second = 1e10;
  for (const int threads : {1, 2}) {
    for (std::int64_t samples = 1; samples <= 128; samples *= 2) {
      const double pass = kSample * static_cast<double>(samples) / threads;
      BatchProfile batch;
      batch.samples = samples;
      batch.threads = threads;
      batch.forward = exactly(pass);
      batch.backward = exactly(2 * pass);
      batch.update = exactly(1e-5);
      batch.workspace_bytes = 100'000 * samples;
      for (const model::Layer& layer : network.layers) {
        LayerProfile one;
        one.name = layer.spec.name;
        const double share = pass / static_cast<double>(network.layers.size());
        one.forward_seconds = share;
        one.input_gradient_seconds = share;
        for (const int index : layer.tensors) {
          const model::Tensor& tensor = network.tensors.at(static_cast<std::size_t>(index));
          one.tensors.push_back({tensor.name, tensor.count(), share / 2});
        }
        batch.layers.push_back(one);
      }
      profile.batches.push_back(batch);
    }
  }
  for (const std::int64_t bytes : {4'000, 16'000, 64'000, 1'000'000, 4'000'000}) {
    const ExchangePlan plan = makeExchangePlan({bytes / 4}, 1);
    const double run = 4.0 * static_cast<double>(plan.longest_run);
    const double messages = 2 * std::ceil(static_cast<double>(bytes) / run);
    profile.links.push_back(
        {"tcp", bytes, exactly(100e-6 + messages * 10e-6 + 2e-9 * static_cast<double>(bytes))});
  }
  return profile;
}

}  // namespace sumac
