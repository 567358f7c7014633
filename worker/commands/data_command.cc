#include "worker/commands/data_command.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/core/check.h"
#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "base/process/help_format.h"
#include "base/process/member_flags.h"
#include "base/process/process_end.h"
#include "base/process/usage.h"
#include "base/terminal/terminal.h"
#include "base/yaml/reader.h"
#include "engine/data/dataset.h"
#include "engine/data/summary.h"
#include "engine/nn/processors.h"
#include "engine/packed/packed_head.h"
#include "job/document/job.h"
#include "job/document/network_of.h"
#include "worker/commands/data_generate.h"
#include "worker/commands/data_pack.h"
#include "worker/commands/data_source.h"

namespace sumac::worker {
namespace {

/// What to describe: the data of a job document, or a folder of files in a format.
struct DataInfoOptions {
  std::string file;               // a job document, or a packed file
  std::vector<std::string> sets;  // changes of the job
  DataSource source;
  std::string data_folder;  // of the bundled data sets
  bool json = false;
};

/// Whether a file begins as a packed one; who reads it says why if it cannot be known.
bool isPacked(const std::string& file) {
  const auto beginning = readBeginning(file, kPackedMagic.size());
  return beginning && asText(*beginning) == kPackedMagic;
}

/// The data to describe, and the job that uses them, if one is given.
struct Request {
  job::DataSpec data;
  std::optional<job::TrainingJob> job;
};

/// Of the job, or the default.
std::uint64_t seedOf(const Request& request) {
  return request.job ? request.job->training.seed : job::TrainingSpec().seed;
}

std::string sourceOf(const DataInfoOptions& options, const job::DataSpec& data) {
  if (!data.name.empty()) return data.name;
  if (data.path.empty()) return "generated";
  if (data.format == job::DataFormat::kPacked) return "packed file " + data.path;
  return (options.source.format.empty() ? "" : options.source.format + " in ") + data.path;
}

Result<Request> requestOf(const DataInfoOptions& options) {
  Request request;
  if (options.file.empty()) {
    auto data = dataSpecOf(options.source);
    if (!data) return data.error();
    request.data = *std::move(data);
    return request;
  }
  if (isPacked(options.file)) {
    request.data.format = job::DataFormat::kPacked;
    request.data.path = options.file;
    return request;
  }
  std::error_code unknown;
  if (std::filesystem::is_directory(options.file, unknown)) {
    return Error{ErrorCode::kInvalid, options.file +
                                          " is a folder, not a TrainingJob; to describe the files "
                                          "in it: sumac data info --format FORMAT --path " +
                                          options.file};
  }
  const auto text = readTextFile(options.file, yaml::kMaxBytes);
  if (!text) return text.error();
  const job::Overrides overrides{.sets = options.sets, .workers = {}, .servers = {}};
  const auto reading = job::readJob(*text, options.file, overrides, /*needs_to_run=*/false);
  if (!reading.job) return Error{ErrorCode::kInvalid, job::problemList(reading.problems)};
  // Of a program the network is as unknown as the data.
  if (const auto network = job::networkSpecOf(*reading.job); !network)
    return network.error().within(options.file);
  request.data = reading.job->data;
  request.job = *reading.job;
  return request;
}

/// How the job uses the data, or why it cannot train on them.
Summary::Use useOf(const job::TrainingJob& job, const Dataset& dataset) {
  Summary::Use use;
  use.batch_size = job.training.batch_size;
  const bool is_text = dataset.kind() == DataKind::kText;
  const auto network = job::networkOf(job, static_cast<int>(dataset.text.vocabulary.size()));
  if (!network) {
    use.problem = network.error().message;
    return use;
  }
  SUMAC_CHECK(network->isText() == is_text, network->name);  // readJob() has looked
  const int unroll = is_text ? static_cast<int>(network->input.front()) : 1;
  return useOf(dataset, {.batch_size = job.training.batch_size,
                         .parts = 1,
                         .unroll = unroll,
                         .seed = job.training.seed});
}

/// `sumac data info`: describes the data on `out`. Returns kBadConfiguration for a job with
/// problems and kFailed for data that cannot be loaded, with the reason on `err`.
ExitCode dataInfo(const DataInfoOptions& options, std::ostream& out, std::ostream& err) {
  const auto fail = [&err](const Error& error, ExitCode code) {
    err << "error: " << error.message << '\n';
    return code;
  };
  const auto request = requestOf(options);
  if (!request) return fail(request.error(), ExitCode::kBadConfiguration);
  const auto dataset =
      loadDataset(request->data, {.data_folder = options.data_folder,
                                  .seed = seedOf(*request),
                                  .threads = automaticThreads(usableProcessors(), /*workers=*/1),
                                  .may_lack_test = !request->job.has_value()});
  if (!dataset)
    return fail(dataset.error(), endOf(dataset.error(), ExitCode::kBadConfiguration).code);
  if (!dataset->warning.empty()) err << "warning: " << dataset->warning << '\n';
  auto summary = summarize(*dataset, sourceOf(options, request->data));
  if (request->job) summary.use = useOf(*request->job, *dataset);
  out << (options.json ? toJson(summary) : toText(summary, textStyleOf(STDOUT_FILENO)));
  return ExitCode::kDone;
}

constexpr const char* kInfoFooter = R"(
Examples:
  sumac data info job.yaml
  sumac data info --format text --path data/ptb
  sumac data info photos.sumac
  sumac data info job.yaml --set data.path=/data/mnist -o json)";

constexpr const char* kGenerateFooter = R"(
Examples:
  sumac data generate --format idx --output-dir images --samples 5000 --gzip
  sumac data generate --format folder --output-dir photos --samples 300 --classes 3
  sumac data generate --format text --output-dir words --tokens 1000000 --vocabulary 10000

The same options give the same bytes on every machine.)";

CLI::App* addInfo(CLI::App& app, DataInfoOptions& options) {
  auto* const info = app.add_subcommand("info", "Describe the data of a job, or of files");
  auto* const file =
      info->add_option("FILE", options.file, "A TrainingJob, or a packed file")->type_name("");
  info->add_option(
          "--set", options.sets,
          "Set a field of the job, for example data.path=/data/mnist; PATH=null removes it")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->needs(file);
  auto* const format = info->add_option("--format", options.source.format, "Format of the files")
                           ->check(CLI::IsMember(namesOfFormats()))
                           ->excludes(file);
  auto* const path = info->add_option("--path", options.source.path, "Folder of the files")
                         ->type_name("DIR")
                         ->check(folderNameProblem)
                         ->needs(format);
  format->needs(path);
  addHowToRead(*info, options.source);
  for (const char* const name : {"--label", "--resize", "--channels"})
    info->get_option(name)->needs(format);
  addFlag(*info, member_flags::kDataDir, options.data_folder);
  info->add_option_function<std::string>(
          "-o,--output", [&options](const std::string& form) { options.json = form == "json"; },
          "How to print it [table]")
      ->check(CLI::IsMember({"table", "json"}));
  info->footer(kInfoFooter);
  info->callback([file, format] {
    if (file->count() + format->count() == 0) {
      throw CLI::RequiredError("FILE, or --format and --path,");
    }
  });
  return info;
}

constexpr const char* kPackFooter = R"(
Examples:
  sumac data pack photos photos.sumac --resize 64x64 --channels 3
  sumac data pack /data/mnist mnist.sumac --format idx

The samples are decoded once. A job reads them one by one, so they need not fit into memory:
data: {format: packed, path: photos.sumac})";

CLI::App* addPack(CLI::App& app, DataPackOptions& options) {
  auto* const pack = app.add_subcommand("pack", "Pack a data set into one file");
  pack->add_option("DIR", options.source.path, "Folder of the files")
      ->type_name("")
      ->check(folderNameProblem)
      ->required();
  pack->add_option("FILE", options.file, "The packed file, NAME.sumac; none is overwritten")
      ->type_name("")
      ->check(folderNameProblem)
      ->required();
  pack->add_option("--format", options.source.format, "Format of the files")
      ->check(CLI::IsMember(namesOfFormats()))
      ->capture_default_str();
  addHowToRead(*pack, options.source);
  pack->footer(kPackFooter);
  return pack;
}

/// Fails on options that do not apply to the format.
void rejectUnused(const CLI::App& generate, const std::string& format) {
  struct Use {
    const char* option;
    std::string_view formats;
  };
  constexpr std::string_view kImages = "idx, cifar10, folder or csv";
  constexpr std::array<Use, 8> kUses{{{"--samples", kImages},
                                      {"--test-samples", kImages},
                                      {"--shape", kImages},
                                      {"--classes", kImages},
                                      {"--gzip", "idx"},
                                      {"--tokens", "text"},
                                      {"--test-tokens", "text"},
                                      {"--vocabulary", "text"}}};
  for (const auto& [option, formats] : kUses) {
    if (generate.count(option) == 0 || formats.find(format) != formats.npos) continue;
    throw CLI::ValidationError(option, "only used with --format " + std::string(formats));
  }
}

/// CLI11 reads -1 as the largest number.
std::string checkSeed(const std::string& text) {
  const bool is_number =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_number && !text.empty() ? std::string() : "must be a number from 0, found " + text;
}

void addGenerate(CLI::App& app, DataGenerateOptions& options) {
  auto* const generate =
      app.add_subcommand("generate", "Write files of random data that a network can learn");
  generate->add_option("--format", options.format, "Format of the files")
      ->check(CLI::IsMember({"idx", "cifar10", "folder", "csv", "text"}))
      ->required();
  generate
      ->add_option("--output-dir", options.folder, "Folder for the files; no file is overwritten")
      ->type_name("DIR")
      ->check(folderNameProblem)
      ->required();
  generate->add_option("--samples", options.samples, "Images to train on")->capture_default_str();
  generate->add_option("--test-samples", options.test_samples, "Images to test with [a fifth]");
  generate
      ->add_option("--shape", options.shape,
                   "Extents of an image [1x28x28; 3x32x32 of cifar10 and folder; 8 of csv]")
      ->delimiter('x')
      ->expected(1, 3)
      ->type_name("CxRxC");
  generate->add_option("--classes", options.classes, "Classes of the images")
      ->capture_default_str();
  generate->add_flag("--gzip", options.gzip, "Compress the files (idx)");
  generate->add_option("--tokens", options.tokens, "Words and line ends to train on")
      ->capture_default_str();
  generate->add_option("--test-tokens", options.test_tokens,
                       "Words of the validation text and of the test text [a tenth]");
  generate
      ->add_option("--vocabulary", options.vocabulary,
                   "Different words, <eos> and <unk> included; rare ones may be missing")
      ->capture_default_str();
  generate->add_option("--seed", options.seed, "Seed: another number gives other data")
      ->capture_default_str()
      ->check(checkSeed);
  generate->footer(kGenerateFooter);
  generate->callback([generate, &options] { rejectUnused(*generate, options.format); });
}

/// `sumac data fetch` never gets here: sumac runs it itself. It stands in the list of commands.
void addFetch(CLI::App& app) {
  app.add_subcommand("fetch", "Download a public data set (see sumac data fetch --help)")
      ->callback([] {
        throw CLI::ParseError("run sumac data fetch, not sumac-worker", toInt(ExitCode::kUsage));
      });
}

}  // namespace

ExitCode dataCommand(int argc, char** argv, std::ostream& out, std::ostream& err) {
  CLI::App app("Describes training data, packs or generates some.", "sumac data");
  app.formatter(std::make_shared<HelpFormat>());
  app.require_subcommand(1);
  DataInfoOptions info;
  DataGenerateOptions generate;
  DataPackOptions pack{.is_shown = ::isatty(STDERR_FILENO) != 0};
  const CLI::App* const info_command = addInfo(app, info);
  const CLI::App* const pack_command = addPack(app, pack);
  addGenerate(app, generate);
  addFetch(app);
  if (const auto end = parseOrEnd(app, argc, argv, out, err)) return *end;
  ExitCode code = ExitCode::kDone;
  const auto failure = endOfException([&] {
    code = info_command->parsed()   ? dataInfo(info, out, err)
           : pack_command->parsed() ? dataPack(pack, out, err)
                                    : dataGenerate(generate, out, err);
  });
  if (!failure) return code;
  err << "error: " << failure->reason << '\n';
  return failure->code;
}

}  // namespace sumac::worker
