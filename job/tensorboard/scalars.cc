#include "job/tensorboard/scalars.h"

#include <cmath>

namespace sumac::tensorboard {

void Scalars::add(std::string_view tag, std::optional<double> value) {
  if (value && std::isfinite(*value)) scalars_.at(count_++) = {tag, *value};
}

Scalars Scalars::of(const Progress& progress) {
  Scalars all;
  all.add("loss/train", progress.loss);
  all.add("perplexity/train", progress.perplexity);
  all.add("learning_rate", progress.learning_rate);
  all.add("gradient_norm", progress.gradient_norm);
  all.add("samples_per_second", progress.samples_per_second);
  return all;
}

Scalars Scalars::of(const Evaluated& evaluation) {
  Scalars all;
  all.add("loss/validation", evaluation.valid_loss);
  all.add("loss/test", evaluation.test_loss);
  all.add("accuracy/validation", evaluation.valid_accuracy);
  all.add("accuracy/test", evaluation.test_accuracy);
  all.add("perplexity/validation", evaluation.valid_perplexity);
  all.add("perplexity/test", evaluation.test_perplexity);
  return all;
}

}  // namespace sumac::tensorboard
