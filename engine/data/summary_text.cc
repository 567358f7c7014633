#include <iomanip>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/core/table.h"
#include "engine/data/summary.h"

namespace sumac::worker {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

std::string summaryTextHexadecimal(std::uint32_t value) {
  std::ostringstream out;
  out << std::hex << std::setw(8) << std::setfill('0') << value;
  return out.str();
}

std::string decimal(double value) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << value;
  return out.str();
}

std::string share(std::int64_t part, std::int64_t whole) {
  return decimal(100 * static_cast<double>(part) / static_cast<double>(whole)) + " %";
}

std::string imagesAsText(const Summary& summary) {
  std::vector<Row> splits;
  for (const auto& split : summary.image_splits) {
    splits.push_back({split.name, std::to_string(split.samples), model::toString(summary.shape),
                      std::to_string(split.least_pixel), std::to_string(split.largest_pixel),
                      decimal(split.mean_pixel)});
  }
  const auto& train = summary.image_splits[0].of_class;
  const auto& test = summary.image_splits[1].of_class;
  std::vector<Row> classes;
  for (std::size_t i = 0; i < train.size(); ++i) {
    classes.push_back({std::to_string(i), std::to_string(train[i]), std::to_string(test[i])});
    if (!summary.class_names.empty()) classes.back().push_back(summary.class_names[i]);
  }
  Row header{"CLASS", "TRAIN", "TEST"};
  if (!summary.class_names.empty()) header.emplace_back("NAME");
  return table({"SPLIT", "SAMPLES", "SHAPE", "MIN", "MAX", "MEAN"}, splits) + "\n" +
         table(header, classes);
}

std::string textAsText(const Summary& summary) {
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
         table({"SPLIT", "TOKENS", "LINES", "UNKNOWN", "SHARE"}, splits) + "\n" +
         table({"WORD", "COUNT", "SHARE"}, words);
}

std::string useAsText(const Summary& summary) {
  const Summary::Use& use = *summary.use;
  if (!use.problem.empty()) return "The job cannot train on it: " + use.problem + "\n";
  Row header{"BATCH-SIZE", "STEPS-PER-EPOCH"};
  Row row{std::to_string(use.batch_size), std::to_string(use.steps_per_epoch)};
  if (summary.kind == DataKind::kText) {
    header.insert(header.begin() + 1, {"STREAM-LENGTH", "UNROLL"});
    row.insert(row.begin() + 1, {std::to_string(use.stream_length), std::to_string(use.unroll)});
  }
  return table(header, {row});
}

Json splitAsJson(const Summary::ImageSplit& split) {
  return {{"samples", split.samples},
          {"minPixel", split.least_pixel},
          {"maxPixel", split.largest_pixel},
          {"meanPixel", split.mean_pixel},
          {"samplesOfClass", split.of_class}};
}

Json splitAsJson(const Summary::TextSplit& split) {
  return {{"tokens", split.tokens}, {"lines", split.lines}, {"unknown", split.unknown}};
}

Json useAsJson(const Summary& summary) {
  const Summary::Use& use = *summary.use;
  Json json{{"batchSize", use.batch_size}};
  if (!use.problem.empty()) {
    json["problem"] = use.problem;
    return json;
  }
  if (summary.kind == DataKind::kText) {
    json["unroll"] = use.unroll;
    json["streamLength"] = use.stream_length;
  }
  json["stepsPerEpoch"] = use.steps_per_epoch;
  return json;
}

}  // namespace

std::string toText(const Summary& summary) {
  const bool images = summary.kind == DataKind::kImages;
  std::string text =
      summary.source + ", fingerprint " + summaryTextHexadecimal(summary.fingerprint) + "\n";
  text += images ? "\n" + imagesAsText(summary) : textAsText(summary);
  if (summary.use) text += "\n" + useAsText(summary);
  return text;
}

std::string toJson(const Summary& summary) {
  Json json{{"source", summary.source},
            {"fingerprint", summaryTextHexadecimal(summary.fingerprint)}};
  if (summary.kind == DataKind::kImages) {
    json["kind"] = "images";
    json["shape"] = summary.shape;
    json["classes"] = summary.image_splits.front().of_class.size();
    if (!summary.class_names.empty()) json["classNames"] = summary.class_names;
    for (const auto& split : summary.image_splits)
      json["splits"][split.name] = splitAsJson(split);
  } else {
    json["kind"] = "text";
    json["vocabulary"] = summary.vocabulary;
    for (const auto& split : summary.text_splits)
      json["splits"][split.name] = splitAsJson(split);
    for (const auto& [word, times] : summary.frequent_words)
      json["frequentWords"].push_back({{"word", word}, {"count", times}});
  }
  if (summary.use) json["job"] = useAsJson(summary);
  // Words and names are bytes of a file, of any encoding.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sumac::worker
