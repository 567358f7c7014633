// sumac-bench-bare-exchange: what an exchange costs in bare ZeroMQ, which ours cannot be faster
// than. Workers send the frames that our exchange sends for a vector of this size, a server adds
// them up and answers each with the sum of all workers. Prints one JSON line.
//
// As in our processes, each has one thread with the sockets and one I/O thread of ZeroMQ's; the
// server has a ROUTER, workers a DEALER. Frames are cut by our plan: a header of 128 bytes that is
// copied, and a payload that is not, neither by who sends nor by who adds. What is not here:
// checksums, credit, acknowledgements, rosters, heartbeats, the hand-over to a thread that
// computes.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/core/exit_code.h"
#include "base/process/memory.h"
#include "base/process/usage.h"
#include "bench/limits/bare_link.h"

namespace {

using Clock = std::chrono::steady_clock;
using sumac::bench::BareLink;
using sumac::bench::BareRuns;

constexpr int kWarmUpSteps = 20;

struct Options {
  std::int64_t bytes = 0;
  int workers = 1;
  int steps = 0;
  sumac::bench::BareOptions link;
};

/// One worker, whose vector has 1 everywhere. Returns the seconds of each step after the first
/// ones.
std::vector<double> work(const BareLink& link, const BareRuns& runs, const Options& options) {
  const std::vector<float> values(static_cast<std::size_t>(options.bytes) / sizeof(float), 1.0F);
  std::vector<double> seconds;
  const auto expected = static_cast<float>(options.workers);
  for (int step = 0; step < kWarmUpSteps + options.steps; ++step) {
    const auto began = Clock::now();
    for (std::size_t i = runs.size(); i-- > 0;)  // backwards, as ours
      link.send(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(step), runs, values);
    for (std::size_t i = 0; i < runs.size(); ++i)
      link.receiveSum(expected);
    const std::chrono::duration<double> lasted = Clock::now() - began;
    if (step >= kWarmUpSteps) seconds.push_back(lasted.count());
  }
  return seconds;
}

/// Runs `body` in a process of its own.
template <typename Body>
pid_t inChild(const Body& body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  body();
  std::_Exit(0);
}

nlohmann::json report(std::vector<double> seconds, std::size_t frames, const Options& options) {
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  constexpr double kMicro = 1e6;
  return {{"us", median * kMicro},
          {"least", seconds.front() * kMicro},
          {"most", seconds.back() * kMicro},
          {"gbps", static_cast<double>(options.bytes) / median / 1e9},
          {"steps", options.steps},
          {"frames", frames},
          {"version", sumac::bench::zeroMqVersion()}};
}

int measure(const Options& options) {
  const std::int64_t values = options.bytes / static_cast<std::int64_t>(sizeof(float));
  const BareRuns runs = sumac::bench::bareRuns(values);
  const sumac::bench::BarePlace place(options.link);
  std::vector<pid_t> children;
  children.push_back(inChild(
      [&] { BareLink::serve(place, runs, options.workers, options.steps + kWarmUpSteps); }));
  const std::string endpoint = place.awaitEndpoint();
  for (int i = 1; i < options.workers; ++i)
    children.push_back(inChild([&] { work(BareLink(place, endpoint), runs, options); }));
  const auto seconds = work(BareLink(place, endpoint), runs, options);
  bool is_done = true;
  for (const pid_t child : children) {
    int status = 0;
    is_done = ::waitpid(child, &status, 0) == child && status == 0 && is_done;
  }
  if (!is_done) throw std::runtime_error("a process of the exchange failed");
  std::cout << report(seconds, runs.size(), options) << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Measures an exchange in bare ZeroMQ: the limit of ours.",
               "sumac-bench-bare-exchange"};
  app.add_option("--bytes", options.bytes, "size of the vector")
      ->required()
      ->check(CLI::Range(4, 1 << 30));
  app.add_option("--workers", options.workers, "who send to one server")->check(CLI::Range(1, 64));
  app.add_option("--steps", options.steps, "how many to measure")
      ->required()
      ->check(CLI::Range(1, 1'000'000));
  app.add_flag("--ipc", options.link.is_ipc, "Unix sockets, not TCP");
  app.add_flag("--curve", options.link.is_encrypted, "encrypted by CURVE");
  if (const auto end = sumac::parseOrEnd(app, argc, argv)) return sumac::toInt(*end);
  sumac::keepFreedMemory();  // as our members do
  try {
    return measure(options);
  } catch (const std::exception& error) {
    std::cerr << "sumac-bench-bare-exchange: " << error.what() << "\n";
    return sumac::toInt(sumac::ExitCode::kFailed);
  }
}
