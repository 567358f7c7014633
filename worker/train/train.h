#pragma once

#include "worker/exchange/exchange_client.h"
#include "worker/train/surroundings.h"
#include "worker/train/training_setup.h"

namespace sumac::worker {

/// Joins the job, loads kernels and engine, and trains until the job ends for this worker:
/// computes, exchanges, updates; the lowest worker also evaluates, reports and writes checkpoints.
/// Runs on the calling thread; returns when the coordinator has ended the job or is gone. The step
/// loop is in training_run.h.
ProcessEnd train(const TrainingSetup& setup, ExchangeClient& exchange,
                 const Surroundings& surroundings);

}  // namespace sumac::worker
