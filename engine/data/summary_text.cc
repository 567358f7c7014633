#include <nlohmann/json.hpp>

#include "base/core/units.h"
#include "base/report/text.h"
#include "engine/data/summary.h"

namespace sumac::worker {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;
using report::tableText;
using report::TextStyle;

/// In percent.
std::string share(std::int64_t part, std::int64_t whole) {
  return fixedText(100 * static_cast<double>(part) / static_cast<double>(whole), 2);
}

/// Whole numbers without decimals.
std::string plain(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? std::to_string(whole) : fixedText(value, 2);
}

std::string classesAsText(const Summary& summary, const TextStyle& style) {
  Row header{"CLASS"};
  for (const auto& split : summary.image_splits)
    header.push_back(split.name == "train" ? "TRAIN" : split.name == "valid" ? "VALID" : "TEST");
  if (!summary.class_names.empty()) header.emplace_back("NAME");
  std::vector<Row> classes;
  for (std::size_t i = 0; i < summary.image_splits.front().of_class.size(); ++i) {
    classes.push_back({std::to_string(i)});
    for (const auto& split : summary.image_splits)
      classes.back().push_back(std::to_string(split.of_class[i]));
    if (!summary.class_names.empty()) classes.back().push_back(summary.class_names[i]);
  }
  return tableText(header, classes, style);
}

std::string imagesAsText(const Summary& summary, const TextStyle& style) {
  std::vector<Row> splits;
  for (const auto& split : summary.image_splits) {
    splits.push_back({split.name, std::to_string(split.samples), model::toString(summary.shape),
                      plain(split.range.least), plain(split.range.largest),
                      fixedText(split.range.mean, 2)});
  }
  return tableText({"SPLIT", "SAMPLES", "SHAPE", "MIN", "MAX", "MEAN"}, splits, style) + "\n" +
         classesAsText(summary, style);
}

std::string textAsText(const Summary& summary, const TextStyle& style) {
  std::vector<Row> splits;
  for (const auto& split : summary.text_splits) {
    splits.push_back({split.name, std::to_string(split.tokens), std::to_string(split.lines),
                      std::to_string(split.unknown), share(split.unknown, split.tokens)});
  }
  std::vector<Row> words;
  for (const auto& [word, times] : summary.frequent_words) {
    words.push_back(
        {word, std::to_string(times), share(times, summary.text_splits.front().tokens)});
  }
  return "vocabulary: " + std::to_string(summary.vocabulary) + " words\n\n" +
         tableText({"SPLIT", "TOKENS", "LINES", "UNKNOWN", "SHARE(%)"}, splits, style) + "\n" +
         tableText({"WORD", "COUNT", "SHARE(%)"}, words, style);
}

std::string useAsText(const Summary& summary, const TextStyle& style) {
  const Summary::Use& use = *summary.use;
  if (!use.problem.empty())
    return report::wrapped("The job cannot train on it: " + use.problem, style.columns) + "\n";
  Row header{"BATCH-SIZE", "STEPS-PER-EPOCH"};
  Row row{std::to_string(use.batch_size), std::to_string(use.steps_per_epoch)};
  if (summary.kind == DataKind::kText) {
    header.insert(header.begin() + 1, {"STREAM-LENGTH", "UNROLL"});
    row.insert(row.begin() + 1, {std::to_string(use.stream_length), std::to_string(use.unroll)});
  }
  return tableText(header, {row}, style);
}

Json splitAsJson(const Summary::ImageSplit& split, bool are_pixels) {
  Json made{{"samples", split.samples}};
  if (are_pixels) {
    made["minPixel"] = static_cast<int>(split.range.least);
    made["maxPixel"] = static_cast<int>(split.range.largest);
  } else {
    made["minValue"] = split.range.least;
    made["maxValue"] = split.range.largest;
  }
  made[are_pixels ? "meanPixel" : "meanValue"] = split.range.mean;
  made["samplesOfClass"] = split.of_class;
  return made;
}

Json splitAsJson(const Summary::TextSplit& split) {
  return {{"tokens", split.tokens}, {"lines", split.lines}, {"unknown", split.unknown}};
}

Json useAsJson(const Summary& summary) {
  const Summary::Use& use = *summary.use;
  Json made{{"batchSize", use.batch_size}};
  if (!use.problem.empty()) {
    made["problem"] = use.problem;
    return made;
  }
  if (summary.kind == DataKind::kText) {
    made["unroll"] = use.unroll;
    made["streamLength"] = use.stream_length;
  }
  made["stepsPerEpoch"] = use.steps_per_epoch;
  return made;
}

}  // namespace

std::string toText(const Summary& summary, const report::TextStyle& style) {
  const bool images = summary.kind == DataKind::kImages;
  std::string text = summary.source + ", fingerprint " + hexText(summary.fingerprint, 8) + "\n";
  text += images ? "\n" + imagesAsText(summary, style) : textAsText(summary, style);
  if (summary.use) text += "\n" + useAsText(summary, style);
  return text;
}

std::string toJson(const Summary& summary) {
  Json made{{"source", summary.source}, {"fingerprint", hexText(summary.fingerprint, 8)}};
  if (summary.kind == DataKind::kImages) {
    made["kind"] = "images";
    made["shape"] = summary.shape;
    made["classes"] = summary.image_splits.front().of_class.size();
    if (!summary.class_names.empty()) made["classNames"] = summary.class_names;
    for (const auto& split : summary.image_splits)
      made["splits"][split.name] = splitAsJson(split, summary.are_pixels);
  } else {
    made["kind"] = "text";
    made["vocabulary"] = summary.vocabulary;
    for (const auto& split : summary.text_splits)
      made["splits"][split.name] = splitAsJson(split);
    for (const auto& [word, times] : summary.frequent_words)
      made["frequentWords"].push_back({{"word", word}, {"count", times}});
  }
  if (summary.use) made["job"] = useAsJson(summary);
  // Words and names are bytes of a file, of any encoding.
  return made.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sumac::worker
