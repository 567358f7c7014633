#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/core/clock.h"
#include "base/core/exit_code.h"
#include "base/process/exit_code_help.h"
#include "base/terminal/terminal.h"
#include "cli/bench/exchange_bench.h"
#include "cli/bench/size_text.h"
#include "cli/commands.h"
#include "cli/programs/programs.h"

namespace sumac::cli {
namespace {

constexpr const char* kExchangeFooter = R"(
Examples:
  sumac bench exchange
  sumac bench exchange --sizes 248kB,64MB --algorithms centralized --workers 4 --servers 2
  sumac bench exchange --transport curve -o json
  sumac bench exchange --sizes 64MB --algorithms direct --print-job | sumac submit - --wait

Starts a job's worker and server processes, which exchange vectors of synthetic values in place of
gradients, over TCP on 127.0.0.1. P50, MIN and MAX are the times from the submission of a
worker's values until it has all sums. ALG-GB/S is the size over P50; BUS-GB/S that times
2(N-1)/N, what each of N workers must send at least, so that figures of different N compare.
Sums are checked to the bit while the members warm up and at the end: a wrong one ends the command.

All members run on this machine; in a pod, on its CPUs. To measure between pods of a cluster, submit
the job that --print-job prints. The figures are the termination message of worker 0's pod.

)";

struct ExchangeWords {
  std::vector<std::string> sizes{"4kB", "16kB", "64kB", "256kB", "1MB", "4MB", "16MB", "64MB"};
  std::vector<std::string> algorithms{"centralized", "decentralized", "direct"};
  std::string transport = "none";
  std::string form = "table";
};

std::string sizeProblem(const std::string& text) {
  const auto bytes = bytesFromText(text);
  if (!bytes) return bytes.error().message;
  const auto fits = checkExchangeSize(*bytes);
  return fits ? std::string() : fits.error().message;
}

std::string algorithmProblem(const std::string& name) {
  if (exchangeMethodFrom(name)) return {};
  return "unknown algorithm `" + name +
         "`; known are centralized, decentralized (or scatterGather), direct, halvingDoubling and "
         "ring";
}

int runExchange(const ExchangeWords& words, ExchangeBenchOptions options) {
  for (const std::string& size : words.sizes)
    options.sizes.push_back(*bytesFromText(size));
  for (const std::string& name : words.algorithms)
    options.methods.push_back(*exchangeMethodFrom(name));
  options.is_encrypted = words.transport == "curve";
  options.is_json = words.form == "json";
  options.style = textStyleOf(STDOUT_FILENO);
  return withPrograms(std::cerr, [&options](const std::filesystem::path& programs) {
    options.programs = programs;
    return toInt(benchExchange(options, SystemClock(), std::cout, std::cerr));
  });
}

void addExchange(CLI::App& bench, std::function<int()>& command) {
  constexpr int kMostMembers = 64;
  constexpr int kMostSteps = 1'000'000;
  constexpr int kFewestSteps = 20;
  const auto words = std::make_shared<ExchangeWords>();
  const auto options = std::make_shared<ExchangeBenchOptions>();
  auto* const exchange = bench.add_subcommand(
      "exchange", "Measure the exchange of gradients: latency and bandwidth by size");
  exchange->add_option("--sizes", words->sizes, "Sizes of the vector [4kB,16kB,64kB,...,64MB]")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(sizeProblem);
  exchange
      ->add_option("--algorithms", words->algorithms, "Who sums [centralized,decentralized,direct]")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(algorithmProblem);
  exchange->add_option("--workers", options->workers, "Worker processes")
      ->type_name("N")
      ->check(CLI::Range(1, kMostMembers))
      ->capture_default_str();
  exchange->add_option("--servers", options->servers, "Server processes of centralized")
      ->type_name("K")
      ->check(CLI::Range(1, kMostMembers))
      ->capture_default_str();
  exchange
      ->add_option("--steps", options->steps,
                   "Exchanges to measure of each [as many as take about a second]")
      ->type_name("N")
      ->check(CLI::Range(kFewestSteps, kMostSteps));
  exchange->add_option("--transport", words->transport, "none, or curve: encrypted")
      ->type_name("NAME")
      ->check(CLI::IsMember({"none", "curve"}))
      ->capture_default_str();
  exchange->add_option("-o,--output", words->form, "How to print it")
      ->type_name("FORM")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  exchange->add_flag("--print-job", options->prints_job,
                     "Print the job that measures between pods of a cluster, and measure nothing");
  exchange->footer(kExchangeFooter +
                   exitCodeHelp({ExitCode::kDone, ExitCode::kFailed, ExitCode::kUsage,
                                 ExitCode::kInterrupted, ExitCode::kStopped}));
  exchange->callback([words, options, &command] {
    command = [words, options] { return runExchange(*words, *options); };
  });
}

}  // namespace

void addBench(CLI::App& app, std::function<int()>& command) {
  auto* const bench = app.add_subcommand("bench", "Measure what jobs would get on this machine");
  bench->require_subcommand(1);
  addExchange(*bench, command);
}

}  // namespace sumac::cli
