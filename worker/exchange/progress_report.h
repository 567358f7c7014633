#pragma once

#include <cstdint>
#include <string>

#include "common/base/step.h"

namespace sumac::worker {

/// One line of progress after `step`. A plain value: the trainer hands it over without allocating,
/// the reactor writes it down.
struct ProgressReport {
  Step step = 0;
  Step total_steps = 0;
  std::int64_t epoch = 0;  // from 1
  bool is_text = false;    // the loss is a token's: perplexity is shown beside it
  double loss = 0;
  double learning_rate = 0;
  double gradient_norm = 0;
  double samples_per_second = 0;
  double data_wait_seconds = 0;  // so far
  double seconds = 0;
  bool is_interim = false;  // for who asks now, not for the curve
};

std::string toJson(const ProgressReport& report);

}  // namespace sumac::worker
