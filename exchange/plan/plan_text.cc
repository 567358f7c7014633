#include "exchange/plan/plan_text.h"

#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/bytes.h"
#include "base/core/sha256.h"
#include "base/core/units.h"
#include "exchange/plan/numerics.h"

namespace sumac {
namespace {

template <typename T>
std::string text(const std::optional<T>& number) {
  if (!number) return "none";
  if constexpr (std::is_floating_point_v<T>) {
    return exactText(*number);
  } else {
    return std::to_string(*number);
  }
}

/// The value of an enumeration, by number: names belong to the document's reader.
template <typename T>
std::string number(T value) {
  return std::to_string(static_cast<int>(value));
}

/// A value with no line of its own inside.
std::string oneLine(std::string_view value) {
  std::string line(value);
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return line;
}

class Lines {
 public:
  void add(const std::string& key, const std::string& value) {
    text_ += key + "=" + oneLine(value) + "\n";
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// What is done to samples. Only what is set: checkpoints of before have no such lines.
void addSamples(Lines& lines, const job::DataSpec& data) {
  if (data.resize) {
    lines.add("data.resize",
              std::to_string(data.resize->height) + "x" + std::to_string(data.resize->width));
  }
  if (data.channels > 0) lines.add("data.channels", std::to_string(data.channels));
  if (!data.label.empty()) lines.add("data.label", data.label);
  if (data.validation > 0) lines.add("data.validation", exactText(data.validation));
  if (data.normalize != job::Normalize::kNone) lines.add("data.normalize", number(data.normalize));
  if (data.augment.flip) lines.add("data.augment.flip", "true");
  if (data.augment.crop > 0) lines.add("data.augment.crop", std::to_string(data.augment.crop));
  if (data.augment.rotate > 0)
    lines.add("data.augment.rotate", std::to_string(data.augment.rotate));
}

void addData(Lines& lines, const job::DataSpec& data) {
  // Files may be moved, and are compared by their fingerprint.
  lines.add("data", data.path.empty() ? data.name : "files");
  addSamples(lines, data);
  if (!data.generated) return;
  const job::GeneratedData& made = *data.generated;
  lines.add("generated.trainSamples", std::to_string(made.train_samples));
  lines.add("generated.testSamples", std::to_string(made.test_samples));
  lines.add("generated.shape", model::toString(made.shape));
  lines.add("generated.classes", std::to_string(made.classes));
  lines.add("generated.trainTokens", std::to_string(made.train_tokens));
  lines.add("generated.testTokens", std::to_string(made.test_tokens));
  lines.add("generated.vocabulary", std::to_string(made.vocabulary));
}

void addTraining(Lines& lines, const job::TrainingSpec& training) {
  lines.add("batchSize", std::to_string(training.batch_size));
  lines.add("logicalWorkers", std::to_string(training.logical_workers));
  lines.add("seed", std::to_string(training.seed));
  lines.add("lossReduction", number(training.loss_reduction));
  lines.add("initializer.name", number(training.initializer.kind));
  lines.add("initializer.scale", exactText(training.initializer.scale));
  lines.add("clip.globalNorm", text(training.clip_global_norm));
  lines.add("clip.value", text(training.clip_value));
}

void addOptimizer(Lines& lines, const job::OptimizerSpec& optimizer,
                  const job::ScheduleSpec& schedule) {
  lines.add("optimizer.name", number(optimizer.name));
  lines.add("optimizer.learningRate", exactText(optimizer.learning_rate));
  lines.add("optimizer.momentum", exactText(optimizer.momentum));
  lines.add("optimizer.weightDecay", exactText(optimizer.weight_decay));
  lines.add("optimizer.beta1", exactText(optimizer.beta1));
  lines.add("optimizer.beta2", exactText(optimizer.beta2));
  lines.add("optimizer.epsilon", exactText(optimizer.epsilon));
  lines.add("schedule.name", number(schedule.name));
  lines.add("schedule.warmupSteps", std::to_string(schedule.warmup_steps));
  lines.add("schedule.holdEpochs", std::to_string(schedule.hold_epochs));
  lines.add("schedule.everyEpochs", std::to_string(schedule.every_epochs));
  lines.add("schedule.factor", exactText(schedule.factor));
}

/// The order of additions, where it is not the canonical one, and how sums are rounded on the way.
void addOrder(Lines& lines, const job::StrategySpec& strategy) {
  const bool is_lossy = strategy.codec != Codec::kFp32;
  if (strategy.method == ExchangeMethod::kRing) lines.add("sum", "ring");
  if (is_lossy && strategy.method == ExchangeMethod::kHalvingDoubling)
    lines.add("sum", "halvingDoubling");
  if (is_lossy) lines.add("codec", std::string(toString(strategy.codec)));
}

/// Who sums: members must agree on it, and the bits do not depend on it but for a ring.
std::string strategyText(const job::StrategySpec& strategy) {
  if (strategy.hasServers()) return "servers";
  if (!isAllReduce(strategy.method)) return "decentralized";
  // auto, direct, scatterGather, halvingDoubling and ring are 0 to 4, in peers of any version.
  constexpr int kBefore = static_cast<int>(ExchangeMethod::kDecentralized);
  return "allReduce." +
         std::to_string(strategy.method ? static_cast<int>(*strategy.method) - kBefore : 0);
}

/// The command as one line, each word in quotes; by its hash where a request to join would not hold
/// it.
std::string commandText(const std::vector<std::string>& command) {
  constexpr std::size_t kMostText = 4096;
  std::string text = nlohmann::json(command).dump(-1, ' ', /*ensure_ascii=*/true,
                                                  nlohmann::json::error_handler_t::replace);
  return text.size() <= kMostText ? text : sha256Hex(asBytes(text));
}

/// What a job document says of a program; its library adds what the program does.
void addProgram(Lines& lines, const job::TrainingJob& job) {
  lines.add("program.command", commandText(job.program->command));
  if (job.program->code) lines.add("program.code", job.program->code->sha256);
  lines.add("program.threads", std::to_string(job.program->threads));
  lines.add("batchSize", std::to_string(job.training.batch_size));
  lines.add("logicalWorkers", std::to_string(job.training.logical_workers));
  lines.add("seed", std::to_string(job.training.seed));
}

/// The network line by line, for readable differences; by its hash where it has so many layers that
/// a request to join would not hold the lines.
std::string networkText(const model::Network& network) {
  constexpr std::size_t kMostText = 32UL * 1024;
  std::string lines = model::canonicalText(network);
  if (lines.size() <= kMostText) return lines;
  return "network=" + sha256Hex(asBytes(lines)) + "\n";
}

}  // namespace

std::string bitsText(const job::TrainingJob& job, const model::Network& network) {
  Lines lines;
  lines.add("numerics", std::to_string(kNumerics));
  lines.add("job", job.name);
  if (job.program) {
    addProgram(lines, job);
    addOrder(lines, job.strategy);
    return lines.take();
  }
  lines.add("model", network.name);
  addData(lines, job.data);
  addTraining(lines, job.training);
  addOptimizer(lines, job.training.optimizer, job.training.schedule);
  addOrder(lines, job.strategy);
  return lines.take() + networkText(network);
}

std::string planText(const job::TrainingJob& job, const model::Network& network,
                     const ExchangePlan& plan) {
  Lines lines;
  lines.add("epochs", text(job.training.epochs));
  lines.add("steps", text(job.training.steps));
  lines.add("strategy", strategyText(job.strategy));
  // Whoever writes a checkpoint waits for what the others report of that step.
  lines.add("checkpoint.everySteps", std::to_string(job.checkpoint.every_steps));
  lines.add("checkpoint.everySeconds", std::to_string(job.checkpoint.every_seconds));
  // All workers have to compare the same steps.
  if (job.program) lines.add("program.verify", std::to_string(job.program->verify));
  lines.add("ranges", std::to_string(plan.ranges.size()));
  lines.add("values", std::to_string(plan.values));
  return bitsText(job, network) + lines.take();
}

}  // namespace sumac
