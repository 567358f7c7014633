#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <unistd.h>

#include "base/core/clock.h"
#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "base/process/exit_code_help.h"
#include "base/terminal/terminal.h"
#include "cli/commands.h"
#include "cli/profile/profile.h"
#include "cli/programs/programs.h"
#include "cli/set_option.h"

namespace sumac::cli {
namespace {

constexpr const char* kProfileFooter = R"(
Examples:
  sumac profile examples/lenet5-fashion-mini.yaml
  sumac profile job.yaml -o job.profile.json
  sumac profile job.yaml -o job.profile.json --batch-sizes 16,32,64,128 --threads 1,2
  sumac experiment experiment.yaml --profile job.profile.json --dry-run

Measures on this machine, with synthetic data: a worker's passes and update, by batch size and
layer, and messages of several sizes to a server and back, over TCP on 127.0.0.1. Nothing is
trained. Each figure is a median, followed by half the distance of the quartiles.

)";

/// Why the profile cannot be written there, before it is measured; empty if it can.
std::string whyNoOutput(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) return name + " is a folder; name a file";
  const auto folder = std::filesystem::absolute(name, ignored).parent_path();
  if (!std::filesystem::is_directory(folder, ignored))
    return "there is no folder " + folder.string() + "; make it first";
  const auto writable = requireWritable(folder);
  return writable ? std::string() : writable.error().message;
}

}  // namespace

void addProfile(CLI::App& app, std::function<int()>& command) {
  constexpr std::int64_t kMostSamples = 1'000'000;
  constexpr int kMostThreads = 1024;
  const auto options = std::make_shared<ProfileOptions>();
  auto* const profile =
      app.add_subcommand("profile", "Measure what a job's steps cost on this machine");
  profile->add_option("FILE", options->file, "The TrainingJob; - reads standard input")
      ->type_name("")
      ->required()
      ->check([](const std::string& name) {
        return name == "-" ? std::string() : CLI::ExistingFile(name);
      });
  addSet(*profile, options->sets);
  profile
      ->add_option("-o,--output", options->output,
                   "File for the profile, as JSON: for predictions of sumac experiment")
      ->type_name("FILE")
      ->check(whyNoOutput);
  profile
      ->add_option("--batch-sizes", options->batch_sizes,
                   "Samples of one worker [its share of the mini-batch, half and twice that]")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, kMostSamples));
  profile
      ->add_option("--threads", options->threads,
                   "Threads of one worker [those that it would have here]")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostThreads));
  profile->footer(kProfileFooter +
                  exitCodeHelp({ExitCode::kDone,
                                ExitCode::kFailed,
                                ExitCode::kUsage,
                                {ExitCode::kBadConfiguration, "the job cannot be run"},
                                ExitCode::kInterrupted,
                                ExitCode::kStopped}));
  profile->callback([options, &command] {
    command = [options] {
      return withPrograms(std::cerr, [&options](const std::filesystem::path& programs) {
        options->programs = programs;
        options->style = textStyleOf(STDOUT_FILENO);
        const Terminal terminal{isTerminal(STDERR_FILENO), hasColor(STDERR_FILENO),
                                columnsOf(STDERR_FILENO)};
        return toInt(
            profileJob(*options, SystemClock(), {std::cin, std::cout, std::cerr, terminal}));
      });
    };
  });
}

}  // namespace sumac::cli
