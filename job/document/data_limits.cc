#include "job/document/data_limits.h"

#include <algorithm>
#include <string>

namespace sumac::job {

Result<void> checkGenerated(std::int64_t images, const model::Shape& shape, int classes) {
  const std::int64_t most = kMaxGenerated / model::count(shape);
  if (std::max<std::int64_t>(images, classes) <= most) return {};
  return Error{ErrorCode::kInvalid, "found " + std::to_string(images) + " images of " +
                                        model::toString(shape) + " in " + std::to_string(classes) +
                                        " classes, at most " + std::to_string(most) +
                                        " images and classes fit into 2 GiB"};
}

Result<void> checkSamples(std::int64_t batch_size, std::int64_t samples) {
  if (batch_size <= samples) return {};
  return Error{ErrorCode::kInvalid, "found " + std::to_string(batch_size) +
                                        ", but the data has only " + std::to_string(samples) +
                                        " training samples"};
}

Result<void> checkWords(std::int64_t batch_size, std::int64_t unroll, std::int64_t words) {
  if (words / batch_size > unroll) return {};
  return Error{
      ErrorCode::kInvalid,
      "found " + std::to_string(batch_size) + " and unroll " + std::to_string(unroll) +
          ": a step needs batchSize x (unroll + 1) = " + std::to_string(batch_size * (unroll + 1)) +
          " words, but the training text has only " + std::to_string(words) +
          ", line ends included"};
}

}  // namespace sumac::job
