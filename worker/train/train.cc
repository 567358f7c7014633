#include "worker/train/train.h"

#include <utility>
#include <variant>

#include "worker/memory/memory_need.h"
#include "worker/nn/compute_pool.h"
#include "worker/nn/engine.h"
#include "worker/train/training_run.h"

namespace sumac::worker {

ProcessEnd train(const TrainingSetup& setup, ExchangeClient& exchange,
                 const Surroundings& surroundings) {
  const auto give_up = [&exchange](const Error& error) {
    const bool is_denied = error.code == ErrorCode::kDenied;  // the output folder's files
    ProcessEnd end = endOf(error, is_denied ? ExitCode::kFailed : ExitCode::kBadConfiguration);
    exchange.fail(end.code, end.reason);
    exchange.awaitEnd();  // until the others have been told
    return end;
  };
  auto event = exchange.join();
  if (auto* end = std::get_if<ProcessEnd>(&event)) return *end;
  auto* start = &std::get<Start>(event);
  if (start->roster.choice && start->block.begin == 0)
    surroundings.log.info("algorithm", {{"auto", choiceText(*start->roster.choice)}});
  const auto variant = kernelVariantFromName(start->roster.kernels);
  if (!variant) return give_up(variant.error());
  auto kernels = Kernels::load(*variant);
  if (!kernels) return give_up(kernels.error());
  ComputePool pool(setup.job.training.threads);
  const auto engine =
      Engine::create(setup.network, *kernels, pool,
                     engineOptions(setup.job.training, setup.network, start->block));
  if (!engine) return give_up(engine.error());
  TrainingRun run(setup, exchange, std::move(*start),
                  Compute{*kernels, pool, **engine, &exchange.work()}, surroundings);
  const auto begun = run.begin();
  ProcessEnd end = begun ? run.run() : give_up(begun.error());
  run.keepEnd(end);
  return end;
}

}  // namespace sumac::worker
