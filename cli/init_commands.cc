#include <iostream>
#include <memory>
#include <string>

#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "base/process/exit_code_help.h"
#include "cli/commands.h"
#include "cli/fetch/fetch.h"
#include "cli/init/init.h"

namespace sumac::cli {
namespace {

constexpr const char* kInitFooter = R"(
Examples:
  sumac init
  sumac init --data photos
  sumac init --data flowers --label species flowers.yaml
  sumac init --data words -

The format is recognized by the names of the files; docs/data.md lists them. Network, batch size and
epochs fit the data: they are a beginning, which comments in the file say how to change.

)";

}  // namespace

void addInit(CLI::App& app, std::function<int()>& command) {
  const auto options = std::make_shared<InitOptions>();
  auto* const init = app.add_subcommand("init", "Write a first job for the data in a folder");
  init->add_option("FILE", options->file,
                   "The file to write, which is not there yet; - prints it [job.yaml]")
      ->type_name("")
      ->check(emptyValueError);
  auto* const data =
      init->add_option("--data", options->data,
                       "The folder of the data, or a packed file [a small Fashion-MNIST]")
          ->type_name("DIR")
          ->check(folderNameProblem);
  init->add_option("--label", options->label,
                   "The column of a table that has the classes [label, or the likely one]")
      ->type_name("COLUMN")
      ->check(emptyValueError)
      ->needs(data);
  init->footer(kInitFooter +
               exitCodeHelp({ExitCode::kDone,
                             ExitCode::kFailed,
                             {ExitCode::kUsage, "invalid command line, or FILE exists"},
                             {ExitCode::kResourceFailed, "the disk is full or fails"},
                             {ExitCode::kBadConfiguration, "the data cannot be trained on"}}));
  init->callback([options, &command] {
    command = [options] { return cli::init(*options, std::cout, std::cerr); };
  });
}

}  // namespace sumac::cli
