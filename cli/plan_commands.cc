#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/core/exit_code.h"
#include "base/process/exit_code_help.h"
#include "base/terminal/terminal.h"
#include "cli/commands.h"
#include "cli/plan/plan.h"
#include "cli/plan/plan_amounts.h"
#include "cli/plan/this_machine.h"
#include "cli/programs/programs.h"
#include "cli/set_option.h"
#include "job/document/limits.h"
#include "planner/machines/amount.h"

namespace sumac::cli {
namespace {

constexpr const char* kPlanFooter = R"(
Examples:
  sumac plan job.yaml --machine here
  sumac plan job.yaml --link 1Gbit --max-workers 16
  sumac plan job.yaml --machines machines.yaml --machine big --goal cost
  sumac plan job.yaml --link 1Gbit --apply | sumac validate -
  sumac plan job.yaml --profile job.profile.json --machine here

Which workers, servers, exchange and codec end the job soonest, cheapest or with least waste, why,
and what would change that; nothing is trained. Times come from a profile: without --profile from
that of this machine, which the first plan of a network measures, in half a minute, and keeps in
~/.cache/sumac/profiles. Without --machine each member has a machine like the profiled one; with
--machine here all share this one, as sumac run has them. Data that are here are counted, where the
number of steps depends on them. Mini-batches of other sizes are compared where the noise scale is
known.

)";

/// An option whose text `read` turns into a value, or throws what is wrong with it.
template <typename Value, typename Read>
CLI::Option* addRead(CLI::App& app, const char* name, std::optional<Value>& to, Read read,
                     const char* text) {
  return app
      .add_option_function<std::string>(
          name,
          [&to, read, name](const std::string& value) {
            const Result<Value> result = read(value);
            if (!result) throw CLI::ValidationError(name, result.error().message);
            to = *result;
          },
          text)
      ->type_name("AMOUNT");
}

/// The same for an amount with a unit.
void addAmount(CLI::App& app, const char* name, std::optional<double>& to,
               planner::Dimension dimension, const char* text) {
  const auto read = [dimension](const std::string& value) {
    return planner::amountIn(dimension, value);
  };
  addRead(app, name, to, read, text);
}

/// An option with a value for each of some words.
template <typename Value>
CLI::Option* addChoice(CLI::App& app, const char* name, Value& to,
                       std::vector<std::pair<std::string, Value>> choices, const char* text) {
  std::vector<std::string> words;
  for (const auto& choice : choices)
    words.push_back(choice.first);
  return app
      .add_option_function<std::string>(
          name,
          [&to, choices = std::move(choices)](const std::string& word) {
            const auto is_word = [&](const auto& choice) { return choice.first == word; };
            to = std::ranges::find_if(choices, is_word)->second;
          },
          text)
      ->check(CLI::IsMember(words));
}

void addGoal(CLI::App& app, PlanOptions& options) {
  addChoice<planner::PlanGoal>(app, "--goal", options.goal,
                               {{"time", planner::PlanGoal::kTime},
                                {"cost", planner::PlanGoal::kCost},
                                {"efficiency", planner::PlanGoal::kEfficiency}},
                               "What to do best [time]");
  addAmount(app, "--deadline", options.deadline_seconds, planner::Dimension::kDuration,
            "The job must end within this");
  addRead(app, "--budget", options.budget, moneyIn, "The job must cost at most this");
  app.add_option("--max-workers", options.most_workers, "Most workers")
      ->type_name("N")
      ->check(CLI::Range(1, job::kMostWorkers))
      ->capture_default_str();
}

void addPlace(CLI::App& app, PlanOptions& options) {
  app.add_option("--machine", options.machine,
                 "here, or a type of --machines [machines like the profiled one]")
      ->type_name("TYPE");
  app.add_option("--machines", options.machines, "File of machine types (sumac explain machines)")
      ->type_name("FILE");
  addAmount(app, "--link", options.link_bytes_per_second, planner::Dimension::kLink,
            "Rate of each member's link, each way");
  addAmount(app, "--latency", options.link_seconds, planner::Dimension::kLatency,
            "Latency of the links, one way");
  addAmount(app, "--memory", options.member_bytes, planner::Dimension::kMemory,
            "Memory that a member may have; with --machine here all of them");
}

void addJob(CLI::App& app, PlanOptions& options) {
  constexpr std::int64_t kMostSamples = std::int64_t{1} << 40;
  app.add_option("--samples", options.samples,
                 "Samples, or words, of an epoch, where the job does not say")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, kMostSamples));
  auto* const noise =
      addRead(app, "--noise-scale", options.noise_scale, noiseIn,
              "Gradient noise scale in samples: compares mini-batches of other sizes")
          ->type_name("SAMPLES");
  app.add_option("--convolutions", options.convolutions,
                 "Costs of convolution algorithms (sumac explain convolutions): shows the fastest "
                 "choice; not advice, the engine has one a layer")
      ->type_name("FILE");
  app.add_option("--result", options.result,
                 "result.json of a run with training.noiseScale, to take the noise scale from")
      ->type_name("FILE")
      ->excludes(noise);
}

void addOutput(CLI::App& app, PlanOptions& options) {
  auto* const format = addChoice<PlanFormat>(
      app, "-o,--output", options.format,
      {{"short", PlanFormat::kShort},
       {"wide", PlanFormat::kWide},
       {"json", PlanFormat::kJson},
       {"yaml", PlanFormat::kYaml}},
      "Format of the answer, of which wide, json and yaml have everything [short]");
  app.add_option("--page", options.page, "Write the answer as a page with pictures, too")
      ->type_name("FILE");
  app.add_flag("--apply", options.is_applied,
               "Print the job with the recommended configuration written into it")
      ->excludes(format);
}

/// What was typed, quoted for a shell, so that it asks the same again.
std::string commandLine(const CLI::App& command) {
  std::string text = "sumac " + command.get_name();
  for (const CLI::Option* const option : command.get_options()) {
    const bool is_flag = option->get_expected_min() == 0;
    for (const std::string& value : option->results()) {
      if (!option->get_lnames().empty()) text += " --" + option->get_lnames().front();
      if (!is_flag) text += " " + shellWord(value);
    }
  }
  return text;
}

}  // namespace

void addPlan(CLI::App& app, std::function<int()>& command) {
  const auto options = std::make_shared<PlanOptions>();
  auto* const plan =
      app.add_subcommand("plan", "Recommend workers, servers and exchange for a job, with reasons");
  plan->add_option("FILE", options->file, "The TrainingJob; - reads standard input")
      ->type_name("")
      ->required();
  addSet(*plan, options->sets);
  plan->add_option("--profile", options->profiles,
                   "A profile of sumac profile; further ones add batch sizes and threads [the one "
                   "kept of this machine, measured first where there is none]")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  plan->add_flag("--measure", options->measures, "Measure the kept profile again")
      ->excludes("--profile");
  addGoal(*plan, *options);
  addPlace(*plan, *options);
  addJob(*plan, *options);
  addOutput(*plan, *options);
  plan->footer(
      kPlanFooter +
      exitCodeHelp({ExitCode::kDone,
                    {ExitCode::kFailed, "no configuration keeps the limits; the answer says which"},
                    ExitCode::kUsage,
                    {ExitCode::kBadConfiguration, "the job or a profile gives no answer"},
                    ExitCode::kInterrupted,
                    ExitCode::kStopped}));
  plan->callback([options, plan, &command] {
    options->command = commandLine(*plan);
    if (options->file == "-") options->command += " < job.yaml";
    command = [options] {
      return withPrograms(std::cerr, [&options](const std::filesystem::path& programs) {
        options->style = textStyleOf(STDOUT_FILENO);
        const Terminal terminal{isTerminal(STDERR_FILENO), hasColor(STDERR_FILENO),
                                columnsOf(STDERR_FILENO)};
        return toInt(
            planJob(*options, thisMachine(programs), {std::cin, std::cout, std::cerr, terminal}));
      });
    };
  });
}

}  // namespace sumac::cli
