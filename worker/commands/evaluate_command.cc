#include "worker/commands/evaluate_command.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/core/rounded.h"
#include "base/core/units.h"
#include "base/report/text.h"
#include "base/terminal/terminal.h"
#include "engine/data/dataset.h"
#include "engine/nn/processors.h"
#include "worker/commands/cache_command.h"
#include "worker/commands/command_line.h"
#include "worker/use/confusions.h"
#include "worker/use/data_fit.h"
#include "worker/use/find_model.h"
#include "worker/use/trained_model.h"

namespace sumac::worker {
namespace {

using Json = nlohmann::ordered_json;

/// How a model does on one split.
struct SplitScore {
  std::string name;
  std::int64_t samples = 0;  // of text: words
  Score score;
};

struct Found {
  std::vector<SplitScore> splits;
  std::optional<Confusions> confusions;  // on the last split; not of text
};

/// Files that are read as those of the model's training were.
Result<job::DataSpec> dataOf(const EvaluateOptions& options, const FoundModel& found,
                             const ModelFile& model) {
  if (options.data.empty()) {
    if (found.job) return found.job->data;
    return Error{ErrorCode::kInvalid,
                 "a model's file does not say where data are: give --data and --format, or the "
                 "folder of the run"};
  }
  job::DataSpec data;
  if (options.format.empty()) {
    data.name = options.data;
    return data;
  }
  data.path = options.data;
  data.format = *job::dataFormatNamed(options.format);
  if (data.format == job::DataFormat::kCsv)
    data.label = model.columns.columns.empty() ? "label" : model.columns.label;
  if (data.format == job::DataFormat::kFolder) {
    data.channels = model.pictures.channels;
    if (const auto& resize = model.pictures.resize)
      data.resize = {.height = resize->height, .width = resize->width};
  }
  return data;
}

Found evaluateImages(TrainedModel& model, const Images& images) {
  Found found;
  const auto& options = model.file().evaluation;
  for (const auto& [name, split] :
       {std::pair("validation", &images.validation), std::pair("test", &images.test)}) {
    if (split->count() == 0) continue;
    const Score score = model.evaluate(EvaluationBatches(*split, options));
    found.splits.push_back({name, split->count(), score});
  }
  const Samples& last = images.test.count() > 0 ? images.test : images.validation;
  found.confusions.emplace(model.file().classes, model.file().class_names);
  model.predict(last, [&](std::int64_t index, std::span<const float> logits) {
    found.confusions->add(last.labels[static_cast<std::size_t>(index)],
                          largestOf(logits.data(), logits.size()));
  });
  return found;
}

Result<Found> evaluateText(TrainedModel& model, const Text& text) {
  Found found;
  const auto& options = model.file().evaluation;
  for (const auto& [name, words] :
       {std::pair("validation", &text.valid), std::pair("test", &text.test)}) {
    if (!EvaluationBatches::isEnough(*words, options)) continue;
    EvaluationBatches batches(*words, options);
    const std::int64_t labels = batches.labels();
    found.splits.push_back({name, labels, model.evaluate(std::move(batches))});
  }
  if (!found.splits.empty()) return found;
  return Error{ErrorCode::kInvalid,
               "the data have neither a validation nor a test split of more "
               "than " +
                   std::to_string(options.unroll) + " words"};
}

/// Of what the engine takes at once: no more than there is.
std::int64_t samplesAtOnce(const ModelFile& model, const Dataset& dataset) {
  const Images& images = dataset.images;
  const auto most = std::max({images.validation.count(), images.test.count(),
                              std::int64_t{std::ssize(dataset.text.valid)},
                              std::int64_t{std::ssize(dataset.text.test)}});
  return std::clamp<std::int64_t>(model.evaluation.max_samples, 1, std::max<std::int64_t>(most, 1));
}

std::string asTable(const Found& found, const report::TextStyle& style) {
  const bool is_text = !found.confusions;
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, samples, score] : found.splits) {
    rows.push_back({name, std::to_string(samples), fixedText(score.loss, 4),
                    fixedText(100 * score.accuracy, 2)});
    if (is_text) rows.back().push_back(fixedText(score.perplexity(), 4));
  }
  std::vector<std::string> header{"SPLIT", is_text ? "WORDS" : "SAMPLES", "LOSS", "ACCURACY(%)"};
  if (is_text) header.emplace_back("PERPLEXITY");
  const std::string scores = report::tableText(header, rows, style);
  return is_text ? scores : scores + "\n" + found.confusions->text(style);
}

/// With the digits of result.json.
std::string asJson(const Found& found, const FoundModel& model) {
  Json json{{"model", model.file.string()}, {"splits", Json::object()}};
  for (const auto& [name, samples, score] : found.splits) {
    Json& split = json["splits"][name];
    split = {{found.confusions ? "samples" : "words", samples},
             {"loss", rounded(score.loss)},
             {"accuracy", rounded(score.accuracy)}};
    if (!found.confusions) split["perplexity"] = rounded(score.perplexity());
  }
  if (found.confusions) found.confusions->putInto(json["confusions"]);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<void> evaluate(const EvaluateOptions& options, std::ostream& out, std::ostream& err) {
  const auto named = findModel(options.model, options.job_file, options.sets);
  if (!named) return named.error();
  auto file = readFound(*named, options.data_folder);
  if (!file) return file.error();
  const auto data = dataOf(options, *named, *file);
  if (!data) return data.error();
  const auto packed = packedInCache(*data, err);
  if (!packed) return packed.error();
  auto dataset =
      loadDataset(*data, {.data_folder = options.data_folder,
                          .seed = (named->job ? named->job->training : job::TrainingSpec()).seed,
                          .threads = automaticThreads(usableProcessors(), /*workers=*/1),
                          .packed = *packed});
  if (!dataset) return dataset.error();
  if (!dataset->warning.empty()) err << "warning: " << dataset->warning << '\n';
  if (auto fits = fitToModel(*dataset, *file); !fits) return fits;
  const std::int64_t at_once = samplesAtOnce(*file, *dataset);
  file->evaluation.max_samples = at_once;
  auto model = TrainedModel::make(*std::move(file), at_once, options.cpu_limit);
  if (!model) return model.error();
  const auto found = dataset->kind() == DataKind::kText
                         ? evaluateText(**model, dataset->text)
                         : Result(evaluateImages(**model, dataset->images));
  if (!found) return found.error();
  out << (options.json ? asJson(*found, *named) : asTable(*found, textStyleOf(STDOUT_FILENO)));
  return {};
}

}  // namespace

ExitCode evaluateCommand(int argc, char** argv, std::ostream& out, std::ostream& err) {
  CLI::App app("Tell how a trained model does on a data set", "sumac evaluate");
  return runModelCommand<EvaluateOptions>(
      app, argc, argv, out, err,
      [&](const EvaluateOptions& options) { return evaluate(options, out, err); });
}

}  // namespace sumac::worker
