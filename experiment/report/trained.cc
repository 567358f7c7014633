#include "experiment/report/trained.h"

#include <iterator>

#include "base/core/units.h"
#include "job/document/network_of.h"

#include "experiment/report/labels.h"

namespace sumac::experiment {
std::string networkText(const job::TrainingJob& job) {
  if (!job.model.network) return job.model.name;
  const std::string layers =
      counted(std::ssize(job.model.network->layers), "layer") + " of its own";
  const auto network = job::networkOf(job);
  return network ? layers + ", " + counted(network->parameters, "parameter") : layers;
}

std::string dataText(const job::TrainingJob& job) {
  if (const auto& made = job.data.generated) {
    if (made->vocabulary > 0)
      return "generated text of " + std::to_string(made->vocabulary) + " words";
    return "generated images of " + std::to_string(made->classes) + " classes";
  }
  return job.data.path.empty() ? job.data.name : job.data.path;
}

std::string optimizerText(const job::TrainingJob& job) {
  const job::OptimizerSpec& optimizer = job.training.optimizer;
  std::string text = std::string(toString(optimizer.name)) + ", learning rate " +
                     shortText(optimizer.learning_rate);
  if (optimizer.name != job::OptimizerName::kAdam)
    text += ", momentum " + shortText(optimizer.momentum);
  if (optimizer.weight_decay != 0) text += ", weight decay " + shortText(optimizer.weight_decay);
  if (const auto schedule = job.training.schedule.name; schedule != job::ScheduleName::kConstant)
    text += ", schedule " + std::string(toString(schedule));
  return text;
}

}  // namespace sumac::experiment
