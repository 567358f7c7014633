#include "cli/run/program_job.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "base/core/text.h"
#include "base/yaml/reader.h"
#include "job/document/edit.h"

namespace sumac::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kBatch = 64;

/// The script in a command; else its program.
std::string scriptOf(const std::vector<std::string>& command) {
  const auto is_script = [](const std::string& word) {
    return !word.starts_with('-') && (word.ends_with(".py") || word.ends_with(".sh"));
  };
  const auto script = std::ranges::find_if(command, is_script);
  return script == command.end() ? command.front() : *script;
}

template <typename Number>
void put(Json& object, const char* name, const std::optional<Number>& number) {
  if (number) object[name] = *number;
}

}  // namespace

std::string commandProblem(const std::vector<std::string>& command) {
  constexpr std::size_t kMost = 256;  // as spec.program.command
  if (command.size() > kMost) {
    return "the COMMAND has " + std::to_string(command.size()) + " words, at most " +
           std::to_string(kMost) + " are allowed; put some into a file that the program reads";
  }
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (firstBadByte(command[i]))
      return "word " + std::to_string(i + 1) + " of the COMMAND is not UTF-8, as a job has to be";
  }
  return {};
}

std::string jobNameOf(const std::vector<std::string>& command) {
  constexpr std::size_t kMost = 40;
  const std::string stem = std::filesystem::path(scriptOf(command)).stem().string();
  std::string name;
  for (const char c : stem) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte < 0x80U && std::isalnum(byte) != 0;
    if (is_plain) name += static_cast<char>(std::tolower(byte));
    if (!is_plain && !name.empty() && name.back() != '-') name += '-';
  }
  name = name.substr(0, kMost);
  while (name.ends_with('-'))
    name.pop_back();
  const bool begins_well = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0;
  return begins_well ? name : "program" + (name.empty() ? "" : "-" + name);
}

yaml::Node documentOf(const ProgramFlags& flags, std::optional<int> workers,
                      std::optional<int> servers) {
  SUMAC_CHECK(!flags.command.empty());
  Json program{{"command", flags.command}};
  put(program, "threads", flags.threads);
  Json training{{"batchSize", flags.batch.value_or(kBatch)}};
  put(training, "epochs", flags.epochs);
  put(training, "steps", flags.steps);
  if (!flags.epochs && !flags.steps) training["epochs"] = 1;
  put(training, "logicalWorkers", flags.parts);
  put(training, "seed", flags.seed);
  Json spec{{"program", std::move(program)}, {"training", std::move(training)}};
  const bool has_servers = servers.value_or(0) > 0;
  spec["strategy"] = {{"exchange", has_servers ? "parameterServer" : "allReduce"}};
  spec["worker"] = {{"replicas", workers.value_or(1)}};
  if (has_servers) spec["server"] = {{"replicas", *servers}};
  auto document = yaml::fromJson(Json{{"apiVersion", "sumac.dev/v1alpha1"},
                                      {"kind", "TrainingJob"},
                                      {"metadata", {{"name", jobNameOf(flags.command)}}},
                                      {"spec", std::move(spec)}});
  SUMAC_CHECK(document.root.has_value(), document.message);
  job::forgetPositions(*document.root);
  return *std::move(document.root);
}

}  // namespace sumac::cli
