#include "job/progress/training_curve.h"

#include <fstream>
#include <variant>

#include "job/progress/job_event.h"

namespace sumac {

TrainingCurve readCurve(const std::filesystem::path& metrics, const std::string& title) {
  TrainingCurve curve;
  curve.title = title;
  std::ifstream in(metrics);
  for (std::string line; std::getline(in, line);) {
    const auto event = jobEventFromLine(line);
    if (!event) continue;
    if (const auto* progress = std::get_if<Progress>(&*event); progress && progress->loss) {
      curve.loss.insert_or_assign(progress->step, *progress->loss);
    }
    const auto* evaluation = std::get_if<Evaluated>(&*event);
    if (evaluation == nullptr) continue;
    const auto& accuracy =
        evaluation->valid_accuracy ? evaluation->valid_accuracy : evaluation->test_accuracy;
    const auto& loss = evaluation->valid_loss ? evaluation->valid_loss : evaluation->test_loss;
    if (loss) curve.test_loss.insert_or_assign(evaluation->step, *loss);
    if (accuracy) curve.accuracy.insert_or_assign(evaluation->step, *accuracy);
    if (evaluation->valid_accuracy || evaluation->valid_loss) curve.is_validated = true;
    if (evaluation->valid_perplexity) {
      curve.perplexity.insert_or_assign(evaluation->step, *evaluation->valid_perplexity);
    }
  }
  return curve;
}

}  // namespace sumac
