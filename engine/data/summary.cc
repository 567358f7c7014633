#include "engine/data/summary.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>

namespace sumac::worker {
namespace {

constexpr std::size_t kFrequentWords = 10;

double valuesIn(const Samples& samples) {
  return static_cast<double>(samples.count()) * static_cast<double>(model::count(samples.shape));
}

ValueRange rangeOfPixels(const Samples& samples) {
  std::array<std::int64_t, 256> of_value{};
  std::vector<std::uint8_t> room(static_cast<std::size_t>(model::count(samples.shape)));
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    for (const std::uint8_t pixel : pixelsOf(samples, i, room))
      ++of_value[pixel];
  }
  const auto is_there = [](std::int64_t times) { return times > 0; };
  const auto first = std::find_if(of_value.begin(), of_value.end(), is_there);
  const auto last = std::find_if(of_value.rbegin(), of_value.rend(), is_there);
  std::int64_t sum = 0;
  for (std::size_t value = 0; value < of_value.size(); ++value)
    sum += static_cast<std::int64_t>(value) * of_value[value];
  return {.least = static_cast<double>(first - of_value.begin()),
          .largest = static_cast<double>(of_value.rend() - last) - 1,
          .mean = static_cast<double>(sum) / valuesIn(samples)};
}

ValueRange rangeOfValues(const Samples& samples) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  ValueRange range{.least = kInfinite, .largest = -kInfinite, .mean = 0};
  std::vector<float> room(static_cast<std::size_t>(model::count(samples.shape)));
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    for (const double value : valuesOf(samples, i, room)) {
      range.least = std::min(range.least, value);
      range.largest = std::max(range.largest, value);
      range.mean += value;
    }
  }
  range.mean /= valuesIn(samples);
  return range;
}

Summary::ImageSplit summarize(const char* name, const Samples& samples, int classes) {
  Summary::ImageSplit split;
  split.name = name;
  split.samples = samples.count();
  split.range = rangeOf(samples);
  split.of_class.resize(static_cast<std::size_t>(classes));
  for (const std::uint16_t label : samples.labels)
    ++split.of_class[label];
  return split;
}

std::vector<std::int64_t> countWords(std::span<const std::int32_t> tokens, std::size_t words) {
  std::vector<std::int64_t> counts(words);
  for (const std::int32_t token : tokens)
    ++counts[static_cast<std::size_t>(token)];
  return counts;
}

void addText(const Text& text, Summary& summary) {
  const auto& words = text.vocabulary;
  const auto number = [&words](std::string_view word) {
    return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
  };
  summary.vocabulary = std::ssize(words);
  for (const auto& [name, tokens] :
       {std::pair("train", &text.train), std::pair("valid", &text.valid),
        std::pair("test", &text.test)}) {
    if (tokens->empty()) continue;
    const auto counts = countWords(*tokens, words.size());
    summary.text_splits.push_back(
        {name, std::ssize(*tokens), counts[number(kEndOfLine)], counts[number(kUnknown)]});
  }
  const auto counts = countWords(text.train, words.size());
  std::vector<std::size_t> order(words.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto shown = std::min(order.size(), kFrequentWords);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&counts](std::size_t a, std::size_t b) {
                      return std::pair(-counts[a], a) < std::pair(-counts[b], b);
                    });
  for (const std::size_t word : std::span(order).first(shown))
    summary.frequent_words.emplace_back(words[word], counts[word]);
}

}  // namespace

ValueRange rangeOf(const Samples& samples) {
  if (samples.packed.range) return *samples.packed.range;
  return samples.arePixels() ? rangeOfPixels(samples) : rangeOfValues(samples);
}

Summary summarize(const Dataset& dataset, std::string source) {
  Summary summary;
  summary.source = std::move(source);
  summary.kind = dataset.kind();
  summary.fingerprint = dataset.fingerprint;
  if (dataset.kind() == DataKind::kImages) {
    const Images& images = dataset.images;
    summary.shape = images.train.shape;
    summary.class_names = images.class_names;
    summary.are_pixels = images.train.arePixels();
    for (const auto& [name, split] :
         {std::pair("train", &images.train), std::pair("valid", &images.validation),
          std::pair("test", &images.test)}) {
      if (split->count() > 0)
        summary.image_splits.push_back(summarize(name, *split, images.classes));
    }
  } else {
    addText(dataset.text, summary);
  }
  return summary;
}

Summary::Use useOf(const Dataset& dataset, const TrainingBatches::Options& options) {
  Summary::Use use;
  use.batch_size = options.batch_size;
  use.unroll = options.unroll;
  if (auto enough = TrainingBatches::check(dataset, options); !enough) {
    use.problem = enough.error().message;
    return use;
  }
  use.steps_per_epoch = TrainingBatches(dataset, options).stepsPerEpoch();
  use.stream_length = std::ssize(dataset.text.train) / options.batch_size;
  return use;
}

}  // namespace sumac::worker
