#include "worker/use/trained_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/core/check.h"
#include "engine/make/make_engine.h"
#include "engine/nn/processors.h"
#include "exchange/plan/kernel_check.h"
#include "worker/train/batch.h"

namespace sumac::worker {
namespace {

Result<Kernels> kernelsOf(const std::string& numerics, const std::string& cpu_limit) {
  const auto available = availableKernelVariants(cpu_limit);
  if (!available) return available.error();
  const auto wanted = kernelVariantFromName(variantIn(numerics));
  if (wanted && std::ranges::count(*available, *wanted) > 0) return Kernels::load(*wanted);
  return Kernels::loadBest(cpu_limit);
}

}  // namespace

Result<std::unique_ptr<TrainedModel>> TrainedModel::make(ModelFile file, std::int64_t max_samples,
                                                         const std::string& cpu_limit) {
  auto kernels = kernelsOf(file.numerics, cpu_limit);
  if (!kernels) return kernels.error();
  const int threads = automaticThreads(usableProcessors(), /*workers=*/1);
  std::unique_ptr<TrainedModel> model(
      new TrainedModel(std::move(file), max_samples, *std::move(kernels), threads));
  auto engine =
      makeEngine(model->file_.network, model->kernels_, model->pool_, {.max_samples = max_samples});
  if (!engine) return engine.error();
  model->engine_ = *std::move(engine);
  model->engine_->setWeights(model->file_.weights);
  return model;
}

Score TrainedModel::evaluate(EvaluationBatches batches) {
  Evaluator evaluator(*engine_, std::move(batches), file_.network.recurrent);
  auto score = evaluator.evaluate(file_.weights, file_.statistics, [] { return true; });
  SUMAC_CHECK(score.has_value());  // nobody says stop
  return *score;
}

void TrainedModel::predict(const Samples& samples, const Take& take) {
  EvaluationBatches batches(samples, {.max_samples = max_samples_});
  const auto classes = static_cast<std::size_t>(file_.network.classes);
  std::vector<float> logits;
  std::int64_t index = 0;
  for (std::int64_t piece = 0; piece < batches.count(); ++piece) {
    const BatchView view = batches.batch(piece);
    logits.resize(static_cast<std::size_t>(view.count) * classes);
    engine_->predict(batchOf(view), {.recurrent = {}, .statistics = file_.statistics}, {}, logits);
    for (std::size_t i = 0; i < logits.size(); i += classes)
      take(index++, std::span(logits).subspan(i, classes));
  }
}

void TrainedModel::predictNext(std::int32_t word, std::vector<float>& recurrent,
                               std::vector<float>& logits) {
  recurrent.resize(static_cast<std::size_t>(file_.network.recurrent));
  logits.resize(static_cast<std::size_t>(file_.network.classes));
  std::vector<float> next(recurrent.size());
  const Batch batch{.count = 1, .inputs = {}, .tokens = {&word, 1}, .labels = {}};
  engine_->predict(batch, {.recurrent = recurrent, .statistics = {}}, next, logits);
  recurrent = std::move(next);
}

std::vector<double> softmax(std::span<const float> logits) {
  const auto largest = static_cast<double>(*std::ranges::max_element(logits));
  std::vector<double> values;
  double sum = 0;
  for (const float logit : logits) {
    values.push_back(std::exp(static_cast<double>(logit) - largest));
    sum += values.back();
  }
  for (double& value : values)
    value /= sum;
  return values;
}

}  // namespace sumac::worker
