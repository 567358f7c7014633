#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/batches.h"
#include "engine/data/dataset.h"

namespace sumac::worker {

/// Images of 1x2, of which the i-th is {2i, 2i + 1} and has the label i mod 10; below 128 of them.
inline Dataset numberedImages(int train, int test) {
  Images images;
  images.classes = 10;
  for (auto [samples, count] : {std::pair(&images.train, train), std::pair(&images.test, test)}) {
    samples->shape = {1, 1, 2};
    for (int i = 0; i < count; ++i) {
      samples->pixels.push_back(static_cast<std::uint8_t>(2 * i));
      samples->pixels.push_back(static_cast<std::uint8_t>(2 * i + 1));
      samples->labels.push_back(static_cast<std::uint16_t>(i % 10));
    }
  }
  return makeDataset(std::move(images));
}

/// Texts of the tokens 0, 1, 2, ...
inline Dataset numberedText(int train, int valid) {
  Text text;
  for (int i = 0; i < train; ++i)
    text.train.push_back(i);
  for (int i = 0; i < valid; ++i)
    text.valid.push_back(i);
  return makeDataset(std::move(text));
}

/// What a view shows, to keep.
struct Batch {
  std::int64_t count = 0;
  std::vector<float> inputs;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> labels;

  bool operator==(const Batch&) const = default;
};

inline Batch copyOf(const BatchView& view) {
  return {view.count,
          {view.inputs.begin(), view.inputs.end()},
          {view.tokens.begin(), view.tokens.end()},
          {view.labels.begin(), view.labels.end()}};
}

/// All parts of a step, one after another.
inline Batch wholeOf(TrainingBatches& batches, Step step) {
  Batch whole;
  auto buffers = batches.makeBuffers(batches.largestPart());
  for (int part = 0; part < batches.parts(); ++part) {
    const Batch one = copyOf(batches.fill(step, part, buffers));
    whole.count += one.count;
    whole.inputs.insert(whole.inputs.end(), one.inputs.begin(), one.inputs.end());
    whole.tokens.insert(whole.tokens.end(), one.tokens.begin(), one.tokens.end());
    whole.labels.insert(whole.labels.end(), one.labels.begin(), one.labels.end());
  }
  return whole;
}

}  // namespace sumac::worker
