#pragma once

#include "common/base/clock.h"
#include "common/log/log.h"
#include "worker/exchange/exchange_client.h"
#include "worker/train/setup.h"

namespace sumac::worker {

/// Trains until the job ends for this worker: computes, exchanges, updates; the lowest worker also
/// evaluates, reports and writes checkpoints. Runs on the calling thread; returns when the
/// coordinator has spoken or is gone.
End train(const TrainingSetup& setup, ExchangeClient& exchange, const Clock& clock, const Log& log);

}  // namespace sumac::worker
