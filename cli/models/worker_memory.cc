#include "cli/models/worker_memory.h"

#include <limits>
#include <utility>

#include <sys/sysinfo.h>

#include <nlohmann/json.hpp>

#include "base/core/units.h"
#include "cli/programs/ask_program.h"

namespace sumac::cli {
namespace {

Result<WorkerMemory> memoryFromJson(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("bytes")) {
    return Error{ErrorCode::kInvalid, "sumac-worker memory gave no answer"};
  }
  return WorkerMemory{.bytes = json.value("bytes", std::uint64_t{0}),
                      .samples = json.value("samples", std::int64_t{0}),
                      .kernels = json.value("kernels", ""),
                      .beyond = json.value("beyond", std::map<int, std::uint64_t>())};
}

}  // namespace

Result<WorkerMemory> askWorkerMemory(const std::filesystem::path& programs,
                                     std::vector<std::string> arguments, const std::string& input) {
  arguments.insert(arguments.begin(), "memory");
  const auto answer = askWorker(programs, std::move(arguments), input);
  if (!answer) return answer.error();
  return memoryFromJson(*answer);
}

AskMemory askMemoryOf(const std::filesystem::path& programs) {
  return [programs](std::vector<std::string> arguments, const std::string& input) {
    return askWorkerMemory(programs, std::move(arguments), input);
  };
}

std::string memoryLine(const WorkerMemory& memory) {
  return "Memory of a worker: about " + bytesText(memory.bytes) + " and its data (" +
         std::to_string(memory.samples) + " samples at once, " + memory.kernels + " kernels)";
}

std::uint64_t machineMemory() {
  struct sysinfo info {};
  if (::sysinfo(&info) != 0) return std::numeric_limits<std::uint64_t>::max();
  return (std::uint64_t{info.totalram} + info.totalswap) * info.mem_unit;
}

}  // namespace sumac::cli
