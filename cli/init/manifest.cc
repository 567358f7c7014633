#include "cli/init/manifest.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/text.h"
#include "base/core/units.h"

namespace sumac::cli {
namespace {

using job::DataFormat;

/// Lines of a document, each with its comment behind it.
class Lines {
 public:
  void add(int indent, const std::string& text, std::string_view comment = "") {
    constexpr std::size_t kColumn = 40;  // where comments begin
    std::string line = std::string(static_cast<std::size_t>(indent), ' ') + text;
    if (!comment.empty()) {
      line.resize(std::max(kColumn, line.size() + 2), ' ');
      line.append("# ").append(comment);
    }
    text_ += line + "\n";
  }
  void comment(const std::string& text) { text_ += "# " + text + "\n"; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

bool isLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

/// Words that YAML 1.1 takes for something else than text.
bool isReserved(std::string text) {
  constexpr std::array<std::string_view, 9> kReserved{"y",   "n",    "yes",   "no",  "on",
                                                      "off", "true", "false", "null"};
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return std::ranges::find(kReserved, text) != kReserved.end();
}

/// As YAML has it: in quotes where a reader could take it for something else than text.
std::string scalar(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](char letter) {
    return isLetter(letter) || (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' ||
           letter == '/' || letter == '.';
  });
  const bool is_path = text.find('/') != std::string::npos && !text.starts_with('-');
  const bool is_word = !text.empty() && isLetter(text.front()) && !isReserved(text);
  return is_plain && (is_path || is_word) ? text : nlohmann::json(text).dump();
}

/// Of foreign text, what cannot end a comment.
std::string inComment(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char letter) { return letter < ' ' || letter == 0x7F; }, '?');
  return text;
}

/// " (cat, dog, eel)"; nothing without names.
std::string someNames(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  constexpr std::size_t kLongest = 30;
  std::string text;
  for (const std::string& name : names) {
    if (&name - names.data() == static_cast<std::ptrdiff_t>(kMost)) return text + ", ...)";
    text += (text.empty() ? " (" : ", ") + inComment(std::string(wholeCharacters(name, kLongest)));
  }
  return text.empty() ? text : text + ")";
}

/// What one sample is called.
std::string nounOf(const Findings& found) {
  if (found.areWords()) return "word";
  if (found.format == DataFormat::kCsv && found.data_set.empty()) return "line";
  if (found.pictures) return "picture";
  return found.shape.size() == 3 ? "image" : "sample";
}

std::string sizeText(worker::PictureSize size) {
  return std::to_string(size.height) + "x" + std::to_string(size.width);
}

std::string extents(const model::Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape)
    text += (text.empty() ? "[" : ", ") + std::to_string(extent);
  return text + "]";
}

void addHead(const Findings& found, const std::string& file, Lines& lines) {
  const std::string source = found.data_set.empty() ? found.path : found.data_set;
  lines.comment("Trains a network on " + inComment(source) + ":");
  lines.comment("  " + describe(found));
  lines.comment("  sumac run " + inComment(file));
  lines.comment(
      "Written by sumac init, to be changed: `sumac explain spec.training` says what a field");
  lines.comment("means, `sumac validate " + inComment(file) + "` checks the file.");
}

void addPictures(const Findings& found, const Proposal& proposal, Lines& lines) {
  const worker::PictureRange& range = *found.pictures;
  if (proposal.resize) {
    const std::string sizes = range.least == range.greatest
                                  ? sizeText(range.least)
                                  : sizeText(range.least) + " to " + sizeText(range.greatest);
    lines.add(4, "resize: " + extents({proposal.resize->height, proposal.resize->width}),
              "height, width; the files have " + sizes + ":");
    lines.add(4, "", "they are scaled, and the middle is cut out. Twice as much");
    lines.add(4, "", "here and in `input` shows more, and takes four times as long");
  }
  if (proposal.channels != 0)
    lines.add(4, "channels: " + std::to_string(proposal.channels),
              "some are gray: all become colored");
}

void addHeldBack(const Findings& found, const Proposal& proposal, Lines& lines) {
  if (proposal.held_back == 0) return;
  const std::string share = proposal.held_back == 10 ? "\"0.1\"" : "\"0.2\"";
  lines.add(4, "validation: " + share, "this share is held back, and watched while it trains");
  if (found.test == 0) lines.add(4, "", "there are no test data: these are all that is measured");
}

void addData(const Findings& found, const Proposal& proposal, Lines& lines) {
  lines.add(2, "data:");
  if (found.data_set.empty()) {
    lines.add(4, "format: " + std::string(toString(found.format)), "docs/data.md describes it");
    lines.add(4, "path: " + scalar(found.path),
              "begins where sumac run is called; in a cluster, where");
    lines.add(4, "", "`volume` is mounted: docs/data.md, \"In a cluster\"");
  } else {
    lines.add(4, "name: " + found.data_set, "comes with Sumac; your own: sumac init --data DIR");
  }
  if (found.format == DataFormat::kCsv && found.data_set.empty())
    lines.add(4, "label: " + scalar(found.label), "the column that has the classes");
  if (found.pictures) addPictures(found, proposal, lines);
  if (found.areWords()) return;
  lines.add(4, "normalize: meanStd", "values around 0: it learns faster");
  addHeldBack(found, proposal, lines);
  if (proposal.crop == 0) return;
  lines.add(4, "augment: {flip: true, crop: " + std::to_string(proposal.crop) + "}",
            "mirrored and moved at random, against learning by heart;");
  lines.add(4, "", "without flip where left and right differ, as of letters");
}

void addConvolutions(const Proposal& proposal, Lines& lines) {
  constexpr int kMostOutputs = 64;
  constexpr std::int64_t kLeastToPool = 12;
  std::int64_t side = std::min(proposal.shape[1], proposal.shape[2]);
  int outputs = 16;
  const auto addBlock = [&lines](int channels) {
    lines.add(6, "- {type: conv2d, outputs: " + std::to_string(channels) +
                     ", kernel: 3, padding: 1, bias: false}");
    lines.add(6, "- {type: batchNorm}");
    lines.add(6, "- {type: relu}");
  };
  for (; side >= kLeastToPool; side /= 2) {
    addBlock(outputs);
    lines.add(6, "- {type: maxPool, kernel: 2}", "half as high and half as wide");
    outputs = std::min(2 * outputs, kMostOutputs);
  }
  addBlock(outputs);
  lines.add(6, "- {type: globalAveragePool}");
}

void addDense(const Proposal& proposal, Lines& lines) {
  if (proposal.shape.size() > 1) lines.add(6, "- {type: flatten}");
  lines.add(6, "- {type: dense, outputs: 64}");
  lines.add(6, "- {type: relu}");
  lines.add(6, "- {type: dense, outputs: 32}");
  lines.add(6, "- {type: relu}");
}

void addModel(const Findings& found, const Proposal& proposal, Lines& lines) {
  lines.add(2, "model:");
  if (proposal.network == NetworkKind::kLenet5) {
    lines.add(4, "name: lenet5", "small and quick; `sumac models` lists others");
    lines.add(4, "classes: " + std::to_string(found.classes));
    return;
  }
  const bool are_words = proposal.network == NetworkKind::kWords;
  lines.add(4, "input: " + extents(proposal.shape),
            are_words                    ? "words through which it learns back at once"
            : proposal.shape.size() == 3 ? "channels, height, width"
                                         : "values of a sample");
  lines.add(4, "layers:", "more layers, or outputs, can learn more, and take longer");
  lines.add(4, "", "(docs/models.md)");
  if (proposal.network == NetworkKind::kConvolutions) addConvolutions(proposal, lines);
  if (proposal.network == NetworkKind::kDense) addDense(proposal, lines);
  if (are_words) {
    lines.add(6, "- {type: embedding, outputs: 128}", "a vector for each word");
    lines.add(6, "- {type: lstm, outputs: 128}", "what it remembers of the words before");
    lines.add(6, "- {type: dropout, rate: \"0.2\"}", "against learning by heart");
    lines.add(6, "- {type: dense}", "an output for each word of the vocabulary");
  } else {
    lines.add(6, "- {type: dense, outputs: " + std::to_string(found.classes) + "}",
              "one for each class");
  }
  lines.add(6, "- {type: softmaxCrossEntropy}");
}

std::string learningRateOf(NetworkKind network) {
  const bool are_images = network == NetworkKind::kLenet5 || network == NetworkKind::kConvolutions;
  return are_images ? R"("0.001")" : R"("0.002")";
}

void addTraining(const Findings& found, const Proposal& proposal, Lines& lines) {
  const bool are_words = proposal.network == NetworkKind::kWords;
  lines.add(2, "training:");
  lines.add(4, "batchSize: " + std::to_string(proposal.batch_size),
            are_words ? "streams that the text is cut into"
                      : nounOf(found) + "s a step, of all workers together");
  const std::string measured = are_words ? "perplexity falls" : "accuracy rises";
  lines.add(4, "epochs: " + std::to_string(proposal.epochs),
            "passes over the data; more while " + measured);
  lines.add(4, "logicalWorkers: " + std::to_string(proposal.parts),
            "up to so many workers, with the same result bit by bit");
  lines.add(4, "optimizer:");
  lines.add(6, "name: adam");
  lines.add(6, std::string("learningRate: ") + learningRateOf(proposal.network),
            "try a third and three times as much; decimals have quotes");
  if (!are_words) return;
  lines.add(4, "clip: {globalNorm: \"5\"}", "longer gradients are shortened to this length");
}

}  // namespace

std::string describe(const Findings& found) {
  const std::string noun = nounOf(found);
  if (found.areWords()) {
    return counted(found.words, "word") + " to train on, " + std::to_string(found.vocabulary) +
           " different ones";
  }
  const std::string text = std::to_string(found.classes) + " classes" +
                           someNames(found.class_names) + ", " + counted(found.train, noun) +
                           " to train on";
  return found.test == 0 ? text : text + ", " + std::to_string(found.test) + " to test with";
}

std::string manifestOf(const Findings& findings, const Proposal& proposal,
                       const std::string& file) {
  Lines lines;
  addHead(findings, file, lines);
  lines.add(0, "apiVersion: sumac.dev/v1alpha1");
  lines.add(0, "kind: TrainingJob");
  lines.add(0, "metadata:");
  lines.add(2, "name: " + scalar(proposal.name),
            "names the folder of a run, and the job in a cluster");
  lines.add(0, "spec:");
  addData(findings, proposal, lines);
  addModel(findings, proposal, lines);
  addTraining(findings, proposal, lines);
  lines.add(2, "worker:");
  lines.add(4, "replicas: 1", "processes that compute; of sumac run: --workers");
  return lines.take();
}

}  // namespace sumac::cli
