#include "cli/plan/member_resources.h"

#include <algorithm>
#include <cmath>

#include "planner/advice/prepared_configurations.h"

namespace sumac::cli {
namespace {

constexpr std::int64_t kMebibyte = 1024L * 1024;

/// Of a machine's cores, for the node's own programs: a pod that requests all of them fits no node,
/// since nodes offer less than they have.
constexpr double kNodesShare = 0.1;
constexpr double kNodesLeast = 0.2;

/// Up to whole ones, as memory of members is anyway.
std::string memoryQuantity(std::int64_t bytes) {
  return std::to_string((bytes + kMebibyte - 1) / kMebibyte) + "Mi";
}

/// "2" or "1800m", rounded down.
std::string cpuQuantity(double cores) {
  constexpr std::int64_t kMilli = 1000;
  constexpr std::int64_t kStep = 10;  // milli
  constexpr double kRounding = 1e-6;
  const auto milli = static_cast<std::int64_t>(cores * kMilli / kStep + kRounding) * kStep;
  if (milli >= kMilli && milli % kMilli == 0) return std::to_string(milli / kMilli);
  return std::to_string(std::max(milli, kStep)) + "m";
}

const planner::Configuration& recommended(const planner::Advice& advice) {
  return advice.taken();
}

std::string cpuOf(const planner::AdviceQuestion& question, const planner::Advice& advice,
                  int threads) {
  const double cores = planner::coresOfMachine(question);
  const double offered = cores - std::max(kNodesLeast, kNodesShare * cores);
  const int members =
      question.place == planner::Placement::kHere ? recommended(advice).choice.members() : 1;
  return cpuQuantity(std::min<double>(threads, offered / members));
}

}  // namespace

std::optional<std::int64_t> dataBytes(const job::DataSpec& data) {
  if (data.generated) {
    const job::GeneratedData& generated = *data.generated;
    if (generated.vocabulary > 0) {
      // Three texts of words: to train on, to validate, and to test, of which two are as long.
      constexpr std::int64_t kWordBytes = 4;
      return kWordBytes * (generated.train_tokens + 2 * generated.test_tokens);
    }
    std::int64_t pixels = 1;
    for (const auto extent : generated.shape)
      pixels *= extent;
    return (generated.train_samples + generated.test_samples) * (pixels + 1);
  }
  if (data.name != "fashion-mnist-mini") return std::nullopt;
  constexpr std::int64_t kImages = 800 + 100;
  constexpr std::int64_t kImageBytes = 28 * 28 + 1;  // pixels and a label
  return kImages * kImageBytes;
}

MemberResources workerResources(const planner::AdviceQuestion& question,
                                const planner::Advice& advice) {
  MemberResources resources;
  resources.cpu = cpuOf(question, advice, advice.taken().threads);
  resources.memory = memoryQuantity(recommended(advice).memory.worker_bytes);
  if (question.data_bytes) resources.memory_limit = resources.memory;
  return resources;
}

MemberResources serverResources(const planner::AdviceQuestion& question,
                                const planner::Advice& advice) {
  const std::string memory = memoryQuantity(recommended(advice).memory.server_bytes);
  return {cpuOf(question, advice, 1), memory, memory};
}

std::vector<std::string> resourceNotes(const planner::AdviceQuestion& question) {
  std::vector<std::string> notes = {
      "CPU requests are the threads that compute, at most what the node's own programs leave of "
      "its cores: a tenth, at least 0.2, is theirs. There is no CPU limit; training.threads is "
      "fixed "
      "instead."};
  notes.push_back(
      question.data_bytes
          ? "Memory is what a member and its data set need, and a quarter more."
          : "Memory of workers is what a member needs and a quarter more, without the data set, "
            "whose size is not known here: add it to the request (sumac data info prints it), then "
            "set a limit as high.");
  return notes;
}

}  // namespace sumac::cli
