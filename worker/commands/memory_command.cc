#include "worker/commands/memory_command.h"

#include <istream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/core/complain.h"
#include "base/process/help_format.h"
#include "base/process/member_flags.h"
#include "base/process/process_end.h"
#include "base/process/usage.h"
#include "engine/memory/memory_need.h"
#include "exchange/plan/job_plan.h"
#include "job/document/job.h"
#include "job/document/network_of.h"

namespace sumac::worker {
namespace {

struct MemoryOptions {
  std::string model;  // of the zoo; empty: read a job
  int vocabulary = 0;
  int unroll = 0;
  std::int64_t samples = 64;
  std::uint64_t limit = 0;  // of a worker, in bytes; 0: none is given
  std::string cpu_limit;
};

/// A job with its network and exchange plan.
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
  sized.exchange = makeExchangePlan(*network, options.samples, /*parts=*/1);
  sized.network = *std::move(network);
  return sized;
}

Result<Sized> sizedJob(const MemoryOptions& options, std::istream& in) {
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const job::Reading reading = job::readJob(text, "<stdin>", {}, false);
  if (!reading.job) return Error{ErrorCode::kInvalid, job::problemList(reading.problems)};
  if (const auto network = job::networkSpecOf(*reading.job); !network) return network.error();
  int vocabulary = options.vocabulary;
  if (vocabulary == 0 && reading.job->data.generated) {
    vocabulary = reading.job->data.generated->vocabulary;
  }
  auto plan = makeJobPlan(*reading.job, vocabulary);
  if (!plan) return plan.error();
  return Sized{*reading.job, std::move(plan->network), std::move(plan->exchange)};
}

Result<std::string> memoryJson(const MemoryOptions& options, std::istream& in) {
  const auto sized = options.model.empty() ? sizedJob(options, in) : sizedModel(options);
  if (!sized) return sized.error();
  // Whatever the job asks for: narrower ones need no more memory.
  const auto kernels = Kernels::loadBest(options.cpu_limit);
  if (!kernels) return kernels.error();
  const auto need = largestNeed(sized->job, sized->network, sized->exchange, *kernels);
  if (!need) return need.error();
  nlohmann::ordered_json json = {
      {"bytes", need->total()},
      {"samples", largestBatch(sized->job.training, sized->network.isText(), /*evaluates=*/true)},
      {"kernels", toString(kernels->variant())},
      {"network", need->engine},
      {"weights", need->buffers.weights},
      {"gradients", need->buffers.gradients}};
  if (options.limit == 0) return json.dump();
  const auto beyond =
      needsBeyond(options.limit, sized->job, sized->network, sized->exchange, *kernels,
                  /*data=*/0);
  if (!beyond) return beyond.error();
  json["beyond"] = nlohmann::ordered_json::array();
  for (const auto& [workers, bytes] : *beyond)
    json["beyond"].push_back({workers, bytes});
  return json.dump();
}

ExitCode printMemory(const MemoryOptions& options, std::istream& in, std::ostream& out,
                     std::ostream& err) {
  const auto json = memoryJson(options, in);
  if (!json) return complain(err, json.error(), ExitCode::kBadConfiguration);
  out << *json << '\n';
  return ExitCode::kDone;
}

void addOptions(CLI::App& app, MemoryOptions& options) {
  constexpr int kMaxSamples = 1'000'000;
  app.add_option("--model", options.model, "A network of the zoo instead")->type_name("NAME");
  app.add_option("--vocabulary", options.vocabulary, "Words of a text network")->type_name("N");
  app.add_option("--unroll", options.unroll, "Time steps of a text network")->type_name("T");
  app.add_option("--samples", options.samples, "Samples of a batch, with --model")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, kMaxSamples));
  app.add_option("--limit", options.limit,
                 "Bytes that a worker may take: prints with which numbers of workers it needs more")
      ->type_name("BYTES");
  addFlag(app, member_flags::kKernels, options.cpu_limit);
}

}  // namespace

ExitCode memoryCommand(int argc, char** argv, std::istream& in, std::ostream& out,
                       std::ostream& err) {
  MemoryOptions options;
  CLI::App app("Prints how much memory a worker needs for the TrainingJob on standard input.",
               "sumac-worker memory");
  app.formatter(std::make_shared<HelpFormat>());
  addOptions(app, options);
  if (const auto end = parseOrEnd(app, argc, argv, out, err)) return *end;
  ExitCode code = ExitCode::kDone;
  const auto failure = endOfException([&] { code = printMemory(options, in, out, err); });
  if (!failure) return code;
  err << "error: " << failure->reason << '\n';
  return failure->code;
}

}  // namespace sumac::worker
