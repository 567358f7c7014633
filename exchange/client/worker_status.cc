#include "exchange/client/worker_status.h"

#include "base/core/version.h"
#include "base/telemetry/stuck.h"

namespace sumac::worker {
namespace {

HttpAnswer notYet(const std::string& why) {
  return {503, "text/plain; charset=utf-8", why + "\n"};
}

HttpAnswer yes() {
  return {200, "text/plain; charset=utf-8", "ok\n"};
}

bool hasReactor(const ExchangeSnapshot& exchange) {
  return exchange.at != TimePoint{};
}

}  // namespace

WorkerStatus::WorkerStatus(const Clock& clock)
    : clock_(clock),
      process_metrics_(metrics_),
      link_metrics_(metrics_, "worker"),
      term_(metrics_.gauge("sumac_worker_term", "The roster's term; 0 before the first.")),
      generation_(metrics_.gauge("sumac_worker_generation", "The roster's generation.")),
      limited_(metrics_.counter("sumac_worker_limited_values_total",
                                "Values of gradients that were limited to what fp16 allows.")),
      trained_(makeTrained()) {
  metrics_.gauge("sumac_worker_build_info", "The build; always 1.", {{"version", kVersion}}).set(1);
}

WorkerStatus::Trained WorkerStatus::makeTrained() {
  const std::string wait = "sumac_worker_wait_seconds_total";
  const std::string wait_help = "Time that the trainer has waited.";
  return {
      .step = metrics_.gauge("sumac_worker_step", "The step done last."),
      .total_steps = metrics_.gauge("sumac_worker_total_steps", "Steps of the whole job."),
      .epoch = metrics_.gauge("sumac_worker_epoch", "The epoch of that step, from 1."),
      .loss = metrics_.gauge("sumac_worker_loss", "Training loss of that step's mini-batch."),
      .steps = metrics_.counter("sumac_worker_steps_total", "Steps done by this process."),
      .samples = metrics_.counter("sumac_worker_samples_total",
                                  "Samples of this worker's parts that it has trained on."),
      .data_wait = metrics_.counter(wait, wait_help, {{"for", "data"}}),
      .sum_wait = metrics_.counter(wait, wait_help, {{"for", "sums"}}),
      .checkpoints = metrics_.counter("sumac_worker_checkpoints_total",
                                      "Checkpoints written by this process."),
      .checkpoint_seconds =
          metrics_.counter("sumac_worker_checkpoint_seconds_total", "Time spent writing them."),
      .checkpoint_step =
          metrics_.gauge("sumac_worker_checkpoint_step", "The step of the newest of them."),
      .step_durations = metrics_.histogram(
          "sumac_worker_step_duration_seconds",
          "How long a step took to its update, from its beginning or the update before.",
          {DurationCounts::kBounds.begin(), DurationCounts::kBounds.end()}),
  };
}

HttpServer::Routes WorkerStatus::routes() {
  HttpServer::Routes routes;
  routes["/healthz"] = [this] { return health(); };
  routes["/readyz"] = [this] { return readiness(); };
  routes["/metrics"] = [this] { return metrics(); };
  routes["/stuck"] = [this] { return stuckAnswer(exchange_.get().waits, clock_.now()); };
  return routes;
}

// Nothing bounds how long reading data or a step takes: the reactor, which must advance whatever
// the trainer does, speaks for the process.
HttpAnswer WorkerStatus::health() const {
  const ExchangeSnapshot exchange = exchange_.get();
  const Duration silence = clock_.now() - exchange.at;
  if (!hasReactor(exchange) || silence < kStuck) return yes();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silence).count();
  return notYet("the reactor has not advanced for " + std::to_string(seconds) + " s");
}

HttpAnswer WorkerStatus::readiness() const {
  const ExchangeSnapshot exchange = exchange_.get();
  if (!hasReactor(exchange)) return notYet("reading the data and the newest checkpoint");
  if (!exchange.member.connected) return notYet("no answer from the coordinator yet");
  return yes();
}

HttpAnswer WorkerStatus::metrics() {
  const TrainerSnapshot trainer = trainer_.get();
  const ExchangeSnapshot exchange = exchange_.get();
  process_metrics_.update();
  link_metrics_.update(exchange.link);
  term_.set(exchange.member.order.term);
  generation_.set(exchange.member.order.generation);
  limited_.advanceTo(static_cast<double>(exchange.member.limited));
  trained_.step.set(static_cast<double>(trainer.step));
  trained_.total_steps.set(static_cast<double>(trainer.total_steps));
  trained_.epoch.set(static_cast<double>(trainer.epoch));
  trained_.loss.set(trainer.loss);
  trained_.steps.advanceTo(static_cast<double>(trainer.steps));
  trained_.samples.advanceTo(static_cast<double>(trainer.samples));
  trained_.data_wait.advanceTo(trainer.data_wait_seconds);
  trained_.sum_wait.advanceTo(trainer.sum_wait_seconds);
  trained_.checkpoints.advanceTo(static_cast<double>(trainer.checkpoints));
  trained_.checkpoint_seconds.advanceTo(trainer.checkpoint_seconds);
  trained_.checkpoint_step.set(static_cast<double>(trainer.checkpoint_step));
  trained_.step_durations.add(trainer.step_durations.since(shown_durations_));
  shown_durations_ = trainer.step_durations;
  return metrics_.answer();
}

}  // namespace sumac::worker
