#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "base/terminal/terminal.h"
#include "cli/commands.h"
#include "cli/completion/scripts.h"
#include "cli/document/document.h"
#include "cli/experiment/prepared_experiment.h"
#include "cli/fetch/data_sets.h"
#include "cli/fetch/fetch.h"
#include "cli/models/models.h"
#include "cli/models/worker_memory.h"
#include "cli/programs/programs.h"
#include "cli/set_option.h"

#include "experiment/document/kind.h"

namespace sumac::cli {
namespace {

constexpr const char* kGroup = "On this machine";

constexpr const char* kValidateFooter = R"(
Examples:
  sumac validate job.yaml
  sumac validate job.yaml --set strategy.consistency=asynchronous

Checks the document: its fields, layers and shapes, the sizes of known data, and pod templates.
What depends on the machine or the cluster is not checked: data files, free memory, instruction
set.
Exit codes: 0 this version can run it, 2 usage, 78 it cannot be run.)";

constexpr const char* kExplainFooter = R"(
Examples:
  sumac explain
  sumac explain spec.training.optimizer
  sumac explain experiment.spec
  sumac explain machines.spec.types
  sumac explain convolutions.spec)";

constexpr const char* kModelsFooter = R"(
Examples:
  sumac models
  sumac models show resnet50
  sumac models show job.yaml -o json
  sumac models show model.safetensors)";

constexpr const char* kFetchFooter = R"(
Examples:
  sumac data fetch fashion-mnist
  sumac data fetch cifar-10 --output-dir /data/cifar-10
  sumac data fetch mnist --mirror http://files.example.com/mnist

Files are checked against known SHA-256 sums. A fetch that was stopped continues where it ended, and
files that are there are kept. The proxies of https_proxy, http_proxy and no_proxy are used.
Exit codes: 0 all files are there, 1 failed, 2 usage.)";

constexpr const char* kCompletionFooter = R"(
Examples:
  source <(sumac completion bash)
  sumac completion zsh > "${fpath[1]}/_sumac"
  sumac completion fish > ~/.config/fish/completions/sumac.fish

An installation has these scripts where the shells find them.
kubectl (1.26 or later) completes `kubectl sumac` if its PATH has kubectl_complete-sumac, which is
in the folder of sumac.)";

void addValidate(CLI::App& app, std::function<int()>& command) {
  struct Options {
    std::string file;
    job::Overrides overrides;
  };
  const auto options = std::make_shared<Options>();
  auto* const validate =
      app.add_subcommand("validate", "Check whether a job can run, and list all its problems");
  validate
      ->add_option("FILE", options->file, "The TrainingJob or Experiment; - reads standard input")
      ->type_name("")
      ->required();
  addSet(*validate, options->overrides.sets);
  validate->footer(kValidateFooter);
  validate->callback([options, &command] {
    command = [options] {
      const auto text = readDocument(options->file, std::cin);
      if (!text) return toInt(complain(std::cerr, text.error(), ExitCode::kUsage));
      if (experiment::isExperiment(*text)) {
        return validateExperiment(*text, options->file, {options->overrides.sets}, std::cout,
                                  std::cerr);
      }
      return validateText(*text, options->file, options->overrides, std::cout, std::cerr,
                          askMemoryOf(programsFolder()));
    };
  });
}

void addExplain(CLI::App& app, std::function<int()>& command) {
  struct Options {
    std::string path;
    bool markdown = false;
  };
  const auto options = std::make_shared<Options>();
  auto* const explain =
      app.add_subcommand("explain", "Describe the fields of a TrainingJob and of other documents");
  explain
      ->add_option("PATH", options->path,
                   "A field, such as spec.strategy or experiment.spec.axes; all when left out")
      ->type_name("");
  explain->add_flag("--markdown", options->markdown, "Print all fields as a Markdown document");
  explain->footer(kExplainFooter);
  explain->callback([options, &command] {
    command = [options] {
      return options->markdown ? explainAsMarkdown(std::cout)
                               : cli::explain(options->path, std::cout, std::cerr);
    };
  });
  app.add_subcommand("crd", "Print the CustomResourceDefinition of TrainingJob")
      ->callback([&command] { command = [] { return crd(std::cout); }; });
}

/// `sumac data fetch`.
void addFetch(CLI::App& data, std::function<int()>& command) {
  struct Options : FetchOptions {
    std::string data_set;
  };
  const auto options = std::make_shared<Options>();
  auto* const fetch = data.add_subcommand("fetch", "Download a public data set");
  fetch->set_help_flag("-h,--help", "Print this help message and exit");
  fetch->prefix_command(false);  // it inherits that of data: its own words are checked
  fetch->add_option("NAME", options->data_set, "The data set: " + remoteDataSetNames())
      ->type_name("")
      ->required()
      ->check([](const std::string& name) {
        return findRemoteDataSet(name) != nullptr
                   ? std::string()
                   : "unknown data set `" + name + "`; known are " + remoteDataSetNames();
      });
  fetch->add_option("--output-dir", options->folder, "Folder for the files [data/<NAME>]")
      ->check(folderNameProblem)
      ->type_name("DIR");
  fetch
      ->add_option("--mirror", options->mirror,
                   "Where the files are, in place of the publisher's address")
      ->check(emptyValueError)
      ->type_name("URL");
  fetch->footer(kFetchFooter);
  fetch->callback([options, &command] {
    command = [options] {
      options->is_live = isTerminal(STDERR_FILENO);
      return toInt(
          cli::fetch(*findRemoteDataSet(options->data_set), *options, std::cout, std::cerr));
    };
  });
}

/// `sumac data`: sumac-worker reads the rest of the line, and prints the help.
void addData(CLI::App& app, std::function<int()>& command) {
  auto* const data =
      app.add_subcommand("data", "Describe, generate or download data (see data --help)");
  data->set_help_flag();
  data->prefix_command();
  addFetch(*data, command);
  data->callback([data, &command] {
    if (!data->get_subcommands().empty()) return;  // fetch is ours
    command = [data] {
      auto arguments = data->remaining();
      arguments.insert(arguments.begin(), data->get_name());
      return becomeWorker(arguments);
    };
  });
}

/// `sumac models` and `sumac models show`.
void addModels(CLI::App& app, std::function<int()>& command) {
  const auto options = std::make_shared<ModelsOptions>();
  auto* const models = app.add_subcommand("models", "List the zoo, or show a network's layers");
  auto* const show = models->add_subcommand("show", "Show a network layer by layer");
  show->add_option("MODEL", options->model,
                   "A name of the zoo, the file of a TrainingJob, or a trained model: "
                   "model.safetensors or the folder of a run")
      ->type_name("NAME|FILE")
      ->required();
  for (CLI::App* const each : {models, show}) {
    constexpr int kMostWords = 10'000'000;
    constexpr int kMostTimeSteps = 10'000;
    each->add_option("--vocabulary", options->vocabulary, "Words of a text network")
        ->type_name("N")
        ->check(CLI::Range(2, kMostWords));
    each->add_option("--unroll", options->unroll, "Time steps of a text network")
        ->type_name("T")
        ->check(CLI::Range(1, kMostTimeSteps));
    each->add_option_function<std::string>(
            "-o,--output", [options](const std::string& form) { options->json = form == "json"; },
            "How to print it [table]")
        ->type_name("FORM")
        ->check(CLI::IsMember({"table", "json"}));
  }
  models->footer(kModelsFooter);
  options->ask_memory = askMemoryOf(programsFolder());
  options->style = textStyleOf(STDOUT_FILENO);
  models->callback([show, options, &command] {
    const bool is_show = show->parsed();
    command = [is_show, options] {
      if (is_show && isTrainedModel(options->model)) {
        return becomeWorker(
            {"model", options->model, options->json ? "--output=json" : "--output=table"});
      }
      return is_show ? showModel(*options, std::cout, std::cerr)
                     : cli::models(*options, std::cout, std::cerr);
    };
  });
}

void addCompletion(CLI::App& app, std::function<int()>& command) {
  const auto shell = std::make_shared<std::string>();
  auto* const completion =
      app.add_subcommand("completion", "Print the script that completes sumac in a shell");
  completion->add_option("SHELL", *shell, "The shell to complete in")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->footer(kCompletionFooter);
  completion->callback([shell, &command] {
    command = [shell] {
      std::cout << (*shell == "bash"  ? kBashCompletion
                    : *shell == "zsh" ? kZshCompletion
                                      : kFishCompletion)
                << std::flush;
      return toInt(ExitCode::kDone);
    };
  });
}

}  // namespace

void addLocalCommands(CLI::App& app, const std::vector<std::string>& own_command,
                      std::function<int()>& command) {
  addInit(app, command);
  addRun(app, own_command, command);
  addValidate(app, command);
  addExplain(app, command);
  addCompare(app, command);
  addModelCommands(app, command);
  addModels(app, command);
  addExport(app, command);
  addData(app, command);
  addProfile(app, command);
  addPlan(app, command);
  addExperiment(app, command);
  addBench(app, command);
  addCompletion(app, command);
  for (auto* const local : app.get_subcommands({}))
    local->group(kGroup);
}

}  // namespace sumac::cli
