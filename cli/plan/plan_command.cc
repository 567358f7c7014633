#include "cli/plan/plan_command.h"

#include "cli/terminal/terminal.h"

namespace sumac::cli {
namespace {

constexpr double kBitsOfByte = 8;
constexpr double kBitsOfMbit = 1e6;
constexpr double kBytesOfMebi = 1024.0 * 1024;

std::string membersText(const PlanOptions& options) {
  std::string text;
  if (!options.machines.empty()) text += " --machines " + shellWord(options.machines.string());
  if (!options.machine.empty()) text += " --machine " + shellWord(options.machine);
  if (options.link_bytes_per_second)
    text +=
        " --link " + plainText(*options.link_bytes_per_second * kBitsOfByte / kBitsOfMbit) + "Mbit";
  if (options.member_bytes)
    text += " --memory " + plainText(*options.member_bytes / kBytesOfMebi) + "Mi";
  return text;
}

std::string goalText(const PlanOptions& options) {
  std::string text;
  if (options.goal != planner::PlanGoal::kTime)
    text += " --goal " + std::string(toString(options.goal));
  if (options.deadline_seconds) text += " --deadline " + plainText(*options.deadline_seconds) + "s";
  if (options.budget)
    text += " --budget " + plainText(options.budget->amount) + options.budget->currency;
  const PlanOptions defaults;
  if (options.most_workers != defaults.most_workers)
    text += " --max-workers " + std::to_string(options.most_workers);
  return text;
}

}  // namespace

std::string planCommand(const PlanOptions& options) {
  std::string command = "sumac plan " + shellWord(options.file);
  for (const std::string& set : options.sets)
    command += " --set " + shellWord(set);
  for (const auto& profile : options.profiles)
    command += " --profile " + shellWord(profile.string());
  command += goalText(options) + membersText(options);
  if (options.samples) command += " --samples " + std::to_string(*options.samples);
  if (options.noise_scale) command += " --noise-scale " + plainText(*options.noise_scale);
  if (!options.result.empty()) command += " --result " + shellWord(options.result.string());
  if (!options.page.empty()) command += " --page " + shellWord(options.page.string());
  return command;
}

}  // namespace sumac::cli
