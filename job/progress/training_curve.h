#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/core/step.h"

namespace sumac {

/// What a training curve shows, by step.
struct TrainingCurve {
  std::string title{};
  std::map<Step, double> loss{};        // of the training data
  std::map<Step, double> test_loss{};   // or of the validation split, as the accuracy
  std::map<Step, double> accuracy{};    // 0 to 1; of images
  std::map<Step, double> perplexity{};  // of the validation split; of text
  bool is_validated = false;            // accuracy and test loss are of a validation split
};

/// The curve in a metrics.jsonl; lines that cannot be read are left out. Where a resumed run
/// repeated steps, what came last counts.
TrainingCurve readCurve(const std::filesystem::path& metrics, const std::string& title);

}  // namespace sumac
