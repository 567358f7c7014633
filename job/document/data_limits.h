#pragma once

#include <cstdint>

#include "base/core/result.h"
#include "job/model/network.h"

namespace sumac::job {

/// What training data must have. `sumac validate` and the operator ask where the document alone
/// tells; workers ask again when they have read the files. All fail with kInvalid and a message
/// that begins with what was found.

/// The most pixels or tokens in a split of generated data.
inline constexpr std::int64_t kMaxGenerated = std::int64_t{1} << 31U;

/// Whether a split of so many generated images stays below kMaxGenerated; so must one image of each
/// class. Requires extents >= 1 that the table of fields admits.
Result<void> checkGenerated(std::int64_t images, const model::Shape& shape, int classes);

/// Whether images suffice for one mini-batch.
Result<void> checkSamples(std::int64_t batch_size, std::int64_t samples);

/// Whether a text suffices for one step of `batch_size` streams.
Result<void> checkWords(std::int64_t batch_size, std::int64_t unroll, std::int64_t words);

}  // namespace sumac::job
