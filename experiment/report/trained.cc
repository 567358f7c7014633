#include "experiment/report/trained.h"

#include <iterator>

#include "common/base/text.h"
#include "common/job/network_of.h"

#include "experiment/report/labels.h"

namespace sumac::experiment {
namespace {

std::string nameOf(job::OptimizerName name) {
  switch (name) {
    case job::OptimizerName::kSgd: return "sgd";
    case job::OptimizerName::kNesterov: return "nesterov";
    case job::OptimizerName::kAdam: return "adam";
  }
  return {};
}

std::string nameOf(job::ScheduleName name) {
  switch (name) {
    case job::ScheduleName::kConstant: return {};
    case job::ScheduleName::kStep: return "step";
    case job::ScheduleName::kExponential: return "exponential";
    case job::ScheduleName::kHold: return "hold";
  }
  return {};
}

}  // namespace

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
  std::string text =
      nameOf(optimizer.name) + ", learning rate " + shortText(optimizer.learning_rate);
  if (optimizer.name != job::OptimizerName::kAdam)
    text += ", momentum " + shortText(optimizer.momentum);
  if (optimizer.weight_decay != 0) text += ", weight decay " + shortText(optimizer.weight_decay);
  if (const std::string schedule = nameOf(job.training.schedule.name); !schedule.empty())
    text += ", schedule " + schedule;
  return text;
}

}  // namespace sumac::experiment
