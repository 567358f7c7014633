#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/yaml/node.h"

#include "experiment/document/experiment.h"

namespace sumac::experiment {

/// The experiment's own field that an axis names: a condition or batchSizePerWorker. "link.rate" of
/// "link.rate" and of "spec.link.rate"; empty where that is none, as for a field of the job.
std::string_view ownField(std::string_view path);

/// Sets one condition; batchSizePerWorker is none, and changes nothing. Null: as without it. Fails
/// with kInvalid, leaving `conditions` as they are, where the table of fields allows `value` and it
/// makes no sense all the same. Requires a value that the table allows.
Result<void> setCondition(Conditions& conditions, std::string_view field, const yaml::Node& value);

/// Why these do not go together; empty if they do.
std::string contradiction(const Conditions& conditions);

/// A rate as the document has it: 100'000'000 is "100Mbit".
std::string rateText(std::int64_t bits_per_second);

/// What a limited link on this machine lets through at once after a pause, tbf's bucket: less, and
/// a fast one would never reach its rate, as TCP hands over up to 64 KiB at a time; more, and short
/// messages would see no limit.
inline constexpr std::int64_t kLinkBurstBytes = 256 * 1024;

/// How rates are written, whatever their size.
bool isRate(std::string_view text);

}  // namespace sumac::experiment
