// sumac-bench-engine: how fast one worker trains, without the exchange; with --layer, how fast one
// convolution computes. Prints one JSON line.

#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/core/exit_code.h"
#include "base/core/version.h"
#include "base/process/usage.h"
#include "bench/engine/layer_products.h"
#include "bench/engine/training_step.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWarmUp{500};
constexpr int kWarmUpSteps = 3;

struct Run {
  std::int64_t steps = 0;
  double seconds = 0;
  float loss = 0;
};

Run runFor(sumac::bench::TrainingStep& step, std::chrono::duration<double> least, int least_steps) {
  Run run;
  const auto began = Clock::now();
  do {
    run.loss = step.run();
    ++run.steps;
    run.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  } while (run.seconds < least.count() || run.steps < least_steps);
  return run;
}

int measure(const sumac::bench::StepOptions& options, double seconds) {
  auto step = sumac::bench::TrainingStep::create(options);
  if (!step) {
    std::cerr << "sumac-bench-engine: " << step.error().message << "\n";
    return sumac::toInt(sumac::ExitCode::kBadConfiguration);
  }
  runFor(**step, kWarmUp, kWarmUpSteps);
  const Run run = runFor(**step, std::chrono::duration<double>(seconds), 1);
  if (!std::isfinite(run.loss)) {
    std::cerr << "sumac-bench-engine: the loss is not a number, so the step does not count\n";
    return sumac::toInt(sumac::ExitCode::kFailed);
  }
  const double rate = static_cast<double>(run.steps * (*step)->perStep()) / run.seconds;
  std::cout << nlohmann::json{{"rate", rate},
                              {"steps", run.steps},
                              {"kernels", (*step)->kernels()},
                              {"version", sumac::kVersion}}
            << "\n";
  return 0;
}

int fail(const std::string& message, sumac::ExitCode code) {
  std::cerr << "sumac-bench-engine: " << message << "\n";
  return sumac::toInt(code);
}

int measureConvolution(const std::string& shape, const sumac::bench::StepOptions& step,
                       double seconds) {
  auto options = sumac::bench::layerFromText(shape);
  if (!options) return fail(options.error().message, sumac::ExitCode::kUsage);
  if (step.batch > 0) options->batch = static_cast<std::size_t>(step.batch);
  options->kernels = step.kernels;
  const auto rates = sumac::bench::measureLayer(*options, seconds);
  if (!rates) return fail(rates.error().message, sumac::ExitCode::kBadConfiguration);
  std::cout << nlohmann::json{{"unit", "GFLOP/s"},
                              {"forward", rates->forward},
                              {"weightGradient", rates->weight_gradient},
                              {"inputGradient", rates->input_gradient},
                              {"version", sumac::kVersion}}
            << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  sumac::bench::StepOptions options;
  double seconds = 3;
  std::string convolution;
  CLI::App app{"Measures the training steps of one worker, without the exchange.",
               "sumac-bench-engine"};
  auto* const model = app.add_option("--model", options.model, "network of the zoo");
  app.add_option("--layer", convolution,
                 "instead: one 3 x 3 convolution of CHANNELSxROWSxCOLUMNS, as 64x56x56")
      ->excludes(model);
  app.add_option("--batch", options.batch, "samples of a step; streams of text")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--parts", options.parts, "parts of a mini-batch")->check(CLI::Range(1, 1 << 10));
  app.add_option("--threads", options.threads, "threads that compute")->check(CLI::Range(1, 1024));
  app.add_option("--vocabulary", options.vocabulary, "words there are, for text");
  app.add_option("--seconds", seconds, "how long to measure")->check(CLI::Range(0.0, 3600.0));
  app.add_option("--kernels", options.kernels, "best instruction set to use")
      ->envname("SUMAC_KERNELS");
  if (const auto end = sumac::parseOrEnd(app, argc, argv)) return sumac::toInt(*end);
  if (!convolution.empty()) return measureConvolution(convolution, options, seconds);
  if (options.model.empty() || options.batch == 0)
    return fail("--model and --batch, or --layer, are required", sumac::ExitCode::kUsage);
  if (options.parts > options.batch) {
    return fail("--parts " + std::to_string(options.parts) + " is more than --batch " +
                    std::to_string(options.batch),
                sumac::ExitCode::kUsage);
  }
  return measure(options, seconds);
}
