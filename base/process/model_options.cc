#include "base/process/model_options.h"

#include <CLI/CLI.hpp>

#include "base/process/member_flags.h"

namespace sumac {
namespace {

constexpr const char* kEvaluateFooter = R"(
Examples:
  sumac evaluate runs/lenet5-fashion-mini-20250131-120000
  sumac evaluate model.safetensors --data fashion-mnist-mini
  sumac evaluate model.safetensors --data /data/mnist --format idx -o json
  sumac evaluate model.safetensors --data photos --format folder

A run's folder says which data; on its own data the digits are those of result.json.
Exit codes: 0 done, 1 failed, 2 usage, 74 storage or memory failed, 78 the model or the data cannot
be used.)";

constexpr const char* kPredictFooter = R"(
Examples:
  sumac predict model.safetensors photos/new/*.jpg --top 3
  sumac predict model.safetensors passengers.csv -o json
  sumac predict runs/ptb-20250131-120000 --prompt "the price of" --words 20 --seed 7

FILE is a picture (.png, .jpg), an array of numpy (.npy), a table with the columns of the training
(.csv), or images in the idx format; of each sample comes a line with class and probability. The
same seed writes the same words.
Exit codes: 0 done, 1 failed, 2 usage, 74 storage or memory failed, 78 the model or a file cannot be
used.)";

/// What all of them have.
void addCommon(CLI::App& command, ModelOptions& options) {
  command.add_option("MODEL", options.model, "model.safetensors, or the folder of a run")
      ->type_name("FILE|RUN")
      ->required();
  command
      .add_option("--network", options.job_file,
                  "The TrainingJob of a model that does not describe itself, as files of earlier "
                  "versions; of a run its own")
      ->type_name("FILE");
  addFlag(command, member_flags::kDataDir, options.data_folder);
  addFlag(command, member_flags::kKernels, options.cpu_limit);
  command
      .add_option_function<std::string>(
          "-o,--output", [&options](const std::string& form) { options.json = form == "json"; },
          "How to print it [table]")
      ->type_name("FORM")
      ->check(CLI::IsMember({"table", "json"}));
}

}  // namespace

void addOptions(CLI::App& command, EvaluateOptions& options) {
  addCommon(command, options);
  auto* const data = command.add_option("--data", options.data,
                                        "Folder of the files, with --format, or a bundled data set "
                                        "[the data of the run]");
  data->type_name("DIR");
  command.add_option("--format", options.format, "Format of the files")
      ->check(
          CLI::IsMember({"idx", "cifar10", "cifar100", "folder", "csv", "npy", "packed", "text"}))
      ->needs(data);
  command
      .add_option("--set", options.sets,
                  "Set a field of the run's job, for example data.path=/data/mnist")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->excludes(data);
  command.footer(kEvaluateFooter);
}

void addOptions(CLI::App& command, PredictOptions& options) {
  constexpr int kMost = 1'000'000;
  addCommon(command, options);
  auto* const files = command.add_option("FILE", options.files, "What to predict the class of");
  files->type_name("");
  auto* const top = command.add_option("--top", options.top, "The most likely N classes of each");
  top->type_name("N")->capture_default_str()->check(CLI::Range(1, kMost));
  auto* const prompt =
      command.add_option("--prompt", options.prompt, "Of text: words to go on from, may be \"\"");
  prompt->type_name("TEXT")->excludes(files)->excludes(top);
  command.add_option("--words", options.words, "Of text: how many to write")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, kMost))
      ->needs(prompt);
  command.add_option("--seed", options.seed, "Of text: which words are drawn")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->needs(prompt);
  command.footer(kPredictFooter);
  command.parse_complete_callback([files, prompt] {
    if (files->count() + prompt->count() == 0) throw CLI::RequiredError("FILE or --prompt");
  });
}

void addOptions(CLI::App& command, ModelOptions& options) {
  addCommon(command, options);
}

std::vector<std::string> givenWords(const CLI::App& command) {
  std::vector<std::string> words{command.get_name()};
  std::vector<std::string> places;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_lnames().empty() && option->get_snames().empty()) {
      places.insert(places.end(), option->results().begin(), option->results().end());
      continue;
    }
    const std::string name = "--" + option->get_lnames().front();
    for (const std::string& value : option->results()) {
      // A value may begin with a dash, and `--name=` has none.
      if (value.empty()) words.insert(words.end(), {name, value});
      if (!value.empty()) words.push_back(name + "=" + value);
    }
  }
  words.emplace_back("--");
  words.insert(words.end(), places.begin(), places.end());
  return words;
}

}  // namespace sumac
