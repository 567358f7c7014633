#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <unistd.h>

#include "base/core/exit_code.h"
#include "base/process/exit_code_help.h"
#include "base/terminal/terminal.h"
#include "cli/commands.h"
#include "cli/compare/compare.h"

namespace sumac::cli {
namespace {

constexpr const char* kCompareFooter = R"(
Examples:
  sumac compare runs/lenet5-fashion-mini-*
  sumac compare runs/small runs/large --page compare.html

Says what differs in the jobs, and of each run its losses and accuracies: of a validation split the
best with its step, of training and tests the last. Only values of a validation split tell the best
run. `tensorboard --logdir runs` shows the curves of all runs.

)";

}  // namespace

void addCompare(CLI::App& app, std::function<int()>& command) {
  const auto options = std::make_shared<CompareOptions>();
  auto* const compare = app.add_subcommand("compare", "Compare runs: their jobs and their results");
  compare->add_option("RUN", options->runs, "Folders of runs of `sumac run`")
      ->type_name("")
      ->required();
  compare
      ->add_option("--page", options->page, "Write the comparison as a page with the curves, too")
      ->type_name("FILE")
      ->check([](const std::string& name) {
        std::error_code ignored;
        const bool is_file = name != "-" && !std::filesystem::is_directory(name, ignored);
        return is_file ? std::string() : "--page needs the name of a file, found " + name;
      });
  compare->add_flag("--wide", options->style.is_wide, "Show all rows");
  compare->footer(kCompareFooter +
                  exitCodeHelp({ExitCode::kDone,
                                ExitCode::kUsage,
                                {ExitCode::kResourceFailed, "the page cannot be written"},
                                {ExitCode::kBadConfiguration,
                                 "a folder is no run, or the runs do not compare"}}));
  compare->callback([options, &command] {
    command = [options] {
      const bool is_wide = options->style.is_wide;
      options->style = textStyleOf(STDOUT_FILENO);
      options->style.is_wide = is_wide;
      return toInt(compareRuns(*options, std::cout, std::cerr));
    };
  });
}

}  // namespace sumac::cli
