#include "worker/commands/memory_mode.h"

#include <exception>
#include <istream>
#include <iterator>
#include <ostream>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "common/base/check.h"
#include "common/job/job.h"
#include "common/plan/job_plan.h"
#include "worker/memory/memory_need.h"

namespace sumac::worker {
namespace {

struct MemoryOptions {
  std::string model;  // of the zoo; empty: read a job
  int vocabulary = 0;
  int unroll = 0;
  std::int64_t samples = 64;
  std::string cpu_limit;
};

/// A job and what is made of it.
struct Sized {
  job::TrainingJob job;
  model::Network network;
  ExchangePlan exchange;
};

Result<Sized> sizedModel(const MemoryOptions& options) {
  const auto spec = model::fromZoo(options.model);
  if (!spec) return spec.error();
  auto network =
      model::resolve(*spec, {.vocabulary = options.vocabulary, .unroll = options.unroll});
  if (!network) return network.error();
  Sized sized;
  sized.job.training.batch_size = options.samples;
  sized.job.training.logical_workers = 1;
  sized.job.worker.replicas = 1;
  sized.exchange = makeExchangePlan(*network, options.samples, /*parts=*/1, /*servers=*/1);
  sized.network = *std::move(network);
  return sized;
}

Result<Sized> sizedJob(const MemoryOptions& options, std::istream& in) {
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const job::Reading reading = job::readJob(text, "<stdin>", {}, false);
  if (!reading.job) return Error{ErrorCode::kInvalid, job::problemList(reading.problems)};
  int vocabulary = options.vocabulary;
  if (vocabulary == 0 && reading.job->data.generated) {
    vocabulary = reading.job->data.generated->vocabulary;
  }
  auto plan = makeJobPlan(*reading.job, vocabulary);
  if (!plan) return plan.error();
  return Sized{*reading.job, std::move(plan->network), std::move(plan->exchange)};
}

/// The widest kernels of this machine, the job's wish aside: narrower ones need no more.
Result<Kernels> widestKernels(const std::string& limit) {
  const auto available = availableKernelVariants(limit);
  if (!available) return available.error();
  return Kernels::load(available->back());
}

Result<std::string> memoryJson(const MemoryOptions& options, std::istream& in) {
  const auto sized = options.model.empty() ? sizedJob(options, in) : sizedModel(options);
  if (!sized) return sized.error();
  const auto kernels = widestKernels(options.cpu_limit);
  if (!kernels) return kernels.error();
  const auto need = memoryNeed(sized->job, sized->network, sized->exchange, *kernels, /*index=*/0);
  if (!need) return need.error();
  const nlohmann::ordered_json json = {
      {"bytes", need->total()},
      {"samples", largestBatch(sized->job.training, sized->network.isText(), /*evaluates=*/true)},
      {"kernels", toString(kernels->variant())},
      {"network", need->engine},
      {"weights", need->weights},
      {"gradients", need->gradients}};
  return json.dump();
}

}  // namespace

ExitCode memoryMode(int argc, char** argv, std::istream& in, std::ostream& out, std::ostream& err) {
  MemoryOptions options;
  CLI::App app("Says how much memory a worker needs for the TrainingJob on standard input.",
               "sumac-worker memory");
  constexpr int kMaxSamples = 1'000'000;
  app.add_option("--model", options.model, "A network of the zoo instead");
  app.add_option("--vocabulary", options.vocabulary, "Words of a text network");
  app.add_option("--unroll", options.unroll, "Time steps of a text network");
  app.add_option("--samples", options.samples, "Samples of a batch, with --model")
      ->capture_default_str()
      ->check(CLI::Range(1, kMaxSamples));
  app.add_option("--kernels", options.cpu_limit, "Best instruction set to use")
      ->envname("SUMAC_KERNELS");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, out, err) == 0 ? ExitCode::kDone : ExitCode::kUsage;
  }
  try {
    const auto json = memoryJson(options, in);
    if (!json) {
      err << "error: " << json.error().message << '\n';
      return ExitCode::kBadConfiguration;
    }
    out << *json << '\n';
    return ExitCode::kDone;
  } catch (const InvariantViolation& violation) {
    err << "error: a bug of ours: " << violation.what() << '\n';
    return ExitCode::kBrokenInvariant;
  } catch (const std::exception& exception) {
    err << "error: " << exception.what() << '\n';
    return ExitCode::kFailed;
  }
}

}  // namespace sumac::worker
