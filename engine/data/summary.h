#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/report/text.h"
#include "engine/data/batches.h"
#include "engine/data/dataset.h"
#include "job/model/network.h"

namespace sumac::worker {

/// A data set described for people: `sumac data info`.
struct Summary {
  struct ImageSplit {
    std::string name;
    std::int64_t samples = 0;
    ValueRange range;
    std::vector<std::int64_t> of_class;
  };
  struct TextSplit {
    std::string name;
    std::int64_t tokens = 0;
    std::int64_t lines = 0;
    std::int64_t unknown = 0;  // `<unk>` among the tokens
  };
  /// How a job uses it.
  struct Use {
    std::int64_t batch_size = 0;
    int unroll = 1;                  // text only
    std::int64_t stream_length = 0;  // text only
    std::int64_t steps_per_epoch = 0;
    std::string problem;  // why the job cannot train on it; then the numbers above are 0
  };

  std::string source;  // "text in /data/ptb"
  DataKind kind = DataKind::kImages;
  std::uint32_t fingerprint = 0;
  model::Shape shape;
  std::vector<std::string> class_names;  // empty where there are none
  bool are_pixels = true;                // else values of vectors or arrays
  std::vector<ImageSplit> image_splits;
  std::int64_t vocabulary = 0;
  std::vector<TextSplit> text_splits;
  std::vector<std::pair<std::string, std::int64_t>> frequent_words;  // of the training tokens
  std::optional<Use> use;
};

/// That of samples; read where it is not known already. Requires a sample.
ValueRange rangeOf(const Samples& samples);

/// Reads every byte of the data that are in memory, and of a packed file's if it is split; `use`
/// stays empty.
Summary summarize(const Dataset& dataset, std::string source);

/// How a job with these options uses the data. Requires what TrainingBatches::check() requires.
Summary::Use useOf(const Dataset& dataset, const TrainingBatches::Options& options);

/// As tables, or as one JSON object.
std::string toText(const Summary& summary, const report::TextStyle& style = {});
std::string toJson(const Summary& summary);

}  // namespace sumac::worker
