#pragma once

#include <cstdint>
#include <string>

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

/// A network as people call it: "the model lenet5" of the zoo, or "the network of spec.model".
std::string calledByUsers(const model::Network& network);

/// Whether a network tells as many classes apart as the data have.
Result<void> checkClasses(const model::Network& network, std::int64_t classes);

/// What is wasted where it tells more apart, in a sentence with advice; empty if it does not.
std::string idleOutputs(const model::Network& network, std::int64_t classes);

/// How many of `samples` training samples are held back for validation: the share of them, rounded
/// down, but at least one, and never all.
std::int64_t validationSamples(std::int64_t samples, double share);

/// Whether images suffice for one mini-batch.
Result<void> checkSamples(std::int64_t batch_size, std::int64_t samples);

/// Whether a text suffices for one step of `batch_size` streams.
Result<void> checkWords(std::int64_t batch_size, std::int64_t unroll, std::int64_t words);

}  // namespace sumac::job
