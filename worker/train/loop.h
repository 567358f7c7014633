#pragma once

#include "worker/exchange/exchange_client.h"
#include "worker/train/setup.h"
#include "worker/train/surroundings.h"

namespace sumac::worker {

/// Trains until the job ends for this worker: computes, exchanges, updates; the lowest worker also
/// evaluates, reports and writes checkpoints. Runs on the calling thread; returns when the
/// coordinator has spoken or is gone.
End train(const TrainingSetup& setup, ExchangeClient& exchange, const Surroundings& surroundings);

}  // namespace sumac::worker
