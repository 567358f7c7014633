#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "base/process/model_options.h"
#include "base/process/spawn.h"
#include "cli/commands.h"
#include "cli/programs/programs.h"

namespace sumac::cli {
namespace {

/// Adds a command whose words sumac-worker reads again.
template <typename Options>
void addUse(CLI::App& app, std::function<int()>& command, const char* name, const char* help) {
  const auto options = std::make_shared<Options>();
  auto* const use = app.add_subcommand(name, help);
  addOptions(*use, *options);
  use->final_callback(
      [use, options, &command] { command = [use] { return becomeWorker(givenWords(*use)); }; });
}

}  // namespace

int becomeWorker(const std::vector<std::string>& words) {
  return withPrograms(std::cerr, [&words](const std::filesystem::path& programs) {
    const auto failure = becomeProgram(programs / "sumac-worker", words);
    return toInt(complain(std::cerr, failure.message, ExitCode::kFailed));
  });
}

void addModelCommands(CLI::App& app, std::function<int()>& command) {
  addUse<EvaluateOptions>(app, command, "evaluate", "Tell how a trained model does on a data set");
  addUse<PredictOptions>(app, command, "predict",
                         "Tell the classes of what is in files, or go on with a text");
}

}  // namespace sumac::cli
