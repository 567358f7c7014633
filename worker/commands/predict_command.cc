#include "worker/commands/predict_command.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/rounded.h"
#include "base/core/units.h"
#include "worker/commands/command_line.h"
#include "worker/use/confusions.h"
#include "worker/use/file_samples.h"
#include "worker/use/find_model.h"
#include "worker/use/trained_model.h"
#include "worker/use/word_writer.h"

namespace sumac::worker {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kSamplesAtOnce = 64;

/// A class and its probability.
struct Chance {
  int label = 0;
  double probability = 0;
};

/// The `top` likeliest, the likeliest first; of equal ones the lower number.
std::vector<Chance> likeliest(std::span<const float> logits, std::size_t top) {
  const std::vector<double> all = softmax(logits);
  std::vector<int> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  // By logits: their probabilities may be the same number.
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](int label) { return logits[static_cast<std::size_t>(label)]; });
  order.resize(std::min(top, order.size()));
  std::vector<Chance> chances;
  for (const int label : order)
    chances.push_back({label, all[static_cast<std::size_t>(label)]});
  return chances;
}

/// Prints predictions as they come.
class Printer {
 public:
  Printer(const PredictOptions& options, const ModelFile& model, std::ostream& out)
      : options_(options), names_(model.class_names), out_(out) {}

  /// `index`: of the sample in its file; none: the file is the sample.
  void print(const std::string& file, std::optional<std::int64_t> index,
             std::span<const float> logits) {
    const auto chances = likeliest(logits, static_cast<std::size_t>(options_.top));
    if (options_.json) {
      out_ << (is_first_ ? "[\n" : ",\n")
           << jsonOf(file, index.value_or(0), chances)
                  .dump(-1, ' ', false, Json::error_handler_t::replace);
      is_first_ = false;
      return;
    }
    out_ << file;
    if (index) out_ << "[" << *index << "]";
    for (const auto& [label, probability] : chances)
      out_ << "   " << nameOfClass(names_, label) << " " << fixedText(probability, 4);
    out_ << "\n";
  }

  void end() {
    if (options_.json) out_ << (is_first_ ? "[]\n" : "\n]\n");
  }

 private:
  Json jsonOf(const std::string& file, std::int64_t index,
              const std::vector<Chance>& chances) const {
    Json json{{"file", file}, {"index", index}, {"classes", Json::array()}};
    for (const auto& [label, probability] : chances) {
      json["classes"].push_back({{"label", label},
                                 {"name", nameOfClass(names_, label)},
                                 {"probability", rounded(probability)}});
    }
    return json;
  }

  const PredictOptions& options_;  // outlives us
  std::vector<std::string> names_;
  std::ostream& out_;
  bool is_first_ = true;
};

/// Files that are one picture each go through the model together.
class Pictures {
 public:
  /// The references outlive us.
  Pictures(TrainedModel& model, Printer& printer) : model_(model), printer_(printer) {}

  void add(const std::string& file, Samples picture) {
    if (files_.empty()) {
      waiting_ = std::move(picture);
    } else {
      waiting_.pixels.insert(waiting_.pixels.end(), picture.pixels.begin(), picture.pixels.end());
      waiting_.labels.push_back(0);
    }
    files_.push_back(file);
    if (std::ssize(files_) == kSamplesAtOnce) predict();
  }

  /// Prints the predictions of those that wait.
  void predict() {
    if (files_.empty()) return;
    model_.predict(waiting_, [&](std::int64_t index, std::span<const float> logits) {
      printer_.print(files_[static_cast<std::size_t>(index)], std::nullopt, logits);
    });
    files_.clear();
  }

 private:
  TrainedModel& model_;
  Printer& printer_;
  std::vector<std::string> files_;
  Samples waiting_;
};

Result<void> predictFiles(const PredictOptions& options, ModelFile file, std::ostream& out) {
  if (file.task == ModelTask::kText) {
    return Error{ErrorCode::kInvalid, "the model writes text: give --prompt in place of files"};
  }
  auto model = TrainedModel::make(std::move(file), kSamplesAtOnce, options.cpu_limit);
  if (!model) return model.error();
  Printer printer(options, (*model)->file(), out);
  Pictures pictures(**model, printer);
  for (const std::string& path : options.files) {
    auto found = samplesIn(path, (*model)->file());
    if (found && found->is_picture) {
      pictures.add(path, std::move(found->samples));
      continue;
    }
    pictures.predict();
    if (!found) return found.error();
    if (found->samples.count() == 0) continue;
    (*model)->predict(found->samples, [&](std::int64_t index, std::span<const float> logits) {
      printer.print(path, index, logits);
    });
  }
  pictures.predict();
  printer.end();
  return {};
}

Result<void> writeText(const PredictOptions& options, const ModelFile& file, std::ostream& out,
                       std::ostream& err) {
  const auto prompt = readPrompt(file, *options.prompt);
  if (!prompt) return prompt.error();
  for (const std::string& word : prompt->unknown)
    err << "warning: the model does not know the word '" << word << "'\n";
  const auto words =
      writeWords(file, prompt->words, options.words, options.seed, options.cpu_limit);
  if (!words) return words.error();
  if (options.json) {
    Json json{{"prompt", *options.prompt}, {"words", Json::array()}};
    for (const std::int32_t word : *words)
      json["words"].push_back(file.vocabulary.at(static_cast<std::size_t>(word)));
    out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    return {};
  }
  const std::string text = asText(file, *words);
  const bool is_begun = !options.prompt->empty();
  out << *options.prompt << (is_begun && !text.starts_with('\n') ? " " : "") << text
      << (text.ends_with('\n') ? "" : "\n");
  return {};
}

Result<void> predict(const PredictOptions& options, std::ostream& out, std::ostream& err) {
  const auto named = findModel(options.model, options.job_file, {});
  if (!named) return named.error();
  auto file = readFound(*named, options.data_folder);
  if (!file) return file.error();
  if (options.prompt) return writeText(options, *file, out, err);
  return predictFiles(options, *std::move(file), out);
}

}  // namespace

ExitCode predictCommand(int argc, char** argv, std::ostream& out, std::ostream& err) {
  CLI::App app("Tell the classes of what is in files, or go on with a text", "sumac predict");
  return runModelCommand<PredictOptions>(
      app, argc, argv, out, err,
      [&](const PredictOptions& options) { return predict(options, out, err); });
}

}  // namespace sumac::worker
