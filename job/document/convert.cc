#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/check.h"
#include "base/yaml/scalar.h"
#include "job/document/edit.h"
#include "job/document/resolve.h"

namespace sumac::job {

namespace {

using yaml::Node;

/// Typed access to a checked document.
class View {
 public:
  View(const Node& root, std::string_view section) : section_(nodeAt(root, section)) {}

  bool has(std::string_view path) const { return node(path) != nullptr; }

  std::string text(std::string_view path) const {
    const Node* const found = node(path);
    return found == nullptr ? std::string() : found->text;
  }

  /// The number; 0 if it is absent.
  std::int64_t integer(std::string_view path) const {
    return maybeInteger(path).value_or(std::int64_t{0});
  }

  std::optional<std::int64_t> maybeInteger(std::string_view path) const {
    const Node* const found = node(path);
    if (found == nullptr) return std::nullopt;
    const auto value = yaml::integerOf(*found);
    SUMAC_CHECK(value.has_value());
    return value;
  }

  /// An integer whose bounds in the table fit an int.
  std::optional<int> maybeSmall(std::string_view path) const {
    const auto value = maybeInteger(path);
    return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
  }

  std::optional<bool> maybeTrue(std::string_view path) const {
    const Node* const found = node(path);
    return found == nullptr ? std::nullopt : yaml::booleanOf(*found);
  }

  /// False if it is absent.
  bool isTrue(std::string_view path) const { return maybeTrue(path).value_or(false); }

  /// An integer field that may also be the word `auto`, which is 0.
  int smallOrAuto(std::string_view path) const {
    return text(path) == "auto" ? 0 : static_cast<int>(integer(path));
  }

  std::optional<double> maybeDecimal(std::string_view path) const {
    const Node* const found = node(path);
    if (found == nullptr) return std::nullopt;
    double value = 0;
    const char* const begin = found->text.data();
    std::from_chars(begin, begin + found->text.size(), value);
    return value;
  }

  double decimal(std::string_view path, double otherwise) const {
    return maybeDecimal(path).value_or(otherwise);
  }

 private:
  const Node* node(std::string_view path) const {
    return section_ == nullptr ? nullptr : nodeAt(*section_, path);
  }

  const Node* section_;
};

template <typename Enum, std::size_t size>
using Names = std::array<std::pair<std::string_view, Enum>, size>;

template <typename Enum, std::size_t size>
std::string_view nameOf(const Names<Enum, size>& names, Enum wanted) {
  for (const auto& [name, value] : names) {
    if (value == wanted) return name;
  }
  failCheck("every enumerator has a name", std::to_string(static_cast<int>(wanted)));
}

template <typename Enum, std::size_t size>
Enum named(const Names<Enum, size>& names, std::string_view text) {
  for (const auto& [name, value] : names) {
    if (name == text) return value;
  }
  failCheck("the field table and the enumerators have the same names", std::string(text));
}

constexpr Names<LossReduction, 2> kReductions{
    {{"mean", LossReduction::kMean}, {"sumOverTime", LossReduction::kSumOverTime}}};
constexpr Names<model::InitializerKind, 3> kInitializers{
    {{"xavier", model::InitializerKind::kXavier},
     {"he", model::InitializerKind::kHe},
     {"uniform", model::InitializerKind::kUniform}}};
constexpr Names<OptimizerName, 3> kOptimizers{{{"sgd", OptimizerName::kSgd},
                                               {"nesterov", OptimizerName::kNesterov},
                                               {"adam", OptimizerName::kAdam}}};
constexpr Names<ScheduleName, 4> kSchedules{{{"constant", ScheduleName::kConstant},
                                             {"step", ScheduleName::kStep},
                                             {"exponential", ScheduleName::kExponential},
                                             {"hold", ScheduleName::kHold}}};
constexpr Names<Kernels, 4> kKernelNames{{{"auto", Kernels::kAuto},
                                          {"baseline", Kernels::kBaseline},
                                          {"avx2", Kernels::kAvx2},
                                          {"avx512", Kernels::kAvx512}}};
constexpr Names<Consistency, 6> kConsistencies{
    {{"synchronous", Consistency::kSynchronous},
     {"boundedStaleness", Consistency::kBoundedStaleness},
     {"asynchronous", Consistency::kAsynchronous},
     {"partiallySynchronous", Consistency::kPartiallySynchronous},
     {"weedOut", Consistency::kWeedOut},
     {"elasticAveraging", Consistency::kElasticAveraging}}};
constexpr Names<AutoscalingPolicy, 4> kPolicies{{{"throughput", AutoscalingPolicy::kThroughput},
                                                 {"efficiency", AutoscalingPolicy::kEfficiency},
                                                 {"deadline", AutoscalingPolicy::kDeadline},
                                                 {"cost", AutoscalingPolicy::kCost}}};
constexpr Names<Codec, 4> kCodecs{{{"fp32", Codec::kFp32},
                                   {"bf16", Codec::kBf16},
                                   {"fp16", Codec::kFp16},
                                   {"int8", Codec::kFp32}}};  // not available: nothing trains so
constexpr Names<Normalize, 2> kNormalizations{
    {{"none", Normalize::kNone}, {"meanStd", Normalize::kMeanStd}}};
constexpr Names<DataFormat, 9> kFormats{{{"idx", DataFormat::kIdx},
                                         {"cifar10", DataFormat::kCifar10},
                                         {"cifar100", DataFormat::kCifar100},
                                         {"folder", DataFormat::kFolder},
                                         {"csv", DataFormat::kCsv},
                                         {"npy", DataFormat::kNpy},
                                         {"packed", DataFormat::kPacked},
                                         {"text", DataFormat::kText},
                                         {"generated", DataFormat::kGenerated}}};

std::optional<GeneratedData> generatedOf(const Node& root) {
  const Node* const section = nodeAt(root, "spec.data.generated");
  if (section == nullptr) return std::nullopt;
  const View view(root, "spec.data.generated");
  GeneratedData data;
  data.train_samples = view.integer("trainSamples");
  data.test_samples = view.integer("testSamples");
  if (const Node* const shape = section->find("shape")) {
    for (const Node& extent : shape->items)
      data.shape.push_back(yaml::integerOf(extent).value_or(0));
  }
  data.classes = view.maybeSmall("classes").value_or(0);
  data.train_tokens = view.integer("trainTokens");
  data.test_tokens = view.integer("testTokens");
  data.vocabulary = view.maybeSmall("vocabulary").value_or(0);
  return data;
}

/// Columns of a table have ranges of their own, pixels have one.
Normalize normalizationOf(const View& data, std::optional<DataFormat> format) {
  if (data.has("normalize")) return named(kNormalizations, data.text("normalize"));
  return format == DataFormat::kCsv ? Normalize::kMeanStd : Normalize::kNone;
}

DataSpec dataOf(const Node& root) {
  const View view(root, "spec.data");
  DataSpec data;
  data.name = view.text("name");
  if (view.has("format")) data.format = named(kFormats, view.text("format"));
  data.path = view.text("path");
  data.generated = generatedOf(root);
  if (const Node* const resize = nodeAt(root, "spec.data.resize")) {
    SUMAC_CHECK(resize->items.size() == 2, resize->items.size());
    data.resize = {.height = static_cast<int>(*yaml::integerOf(resize->items[0])),
                   .width = static_cast<int>(*yaml::integerOf(resize->items[1]))};
  }
  data.channels = view.maybeSmall("channels").value_or(0);
  data.label = view.text("label");
  data.validation = view.decimal("validation", 0);
  data.normalize = normalizationOf(view, data.format);
  data.augment = {.flip = view.isTrue("augment.flip"),
                  .crop = view.maybeSmall("augment.crop").value_or(0),
                  .rotate = view.maybeSmall("augment.rotate").value_or(0)};
  return data;
}

OptimizerSpec optimizerOf(const Node& root) {
  const View view(root, "spec.training.optimizer");
  OptimizerSpec optimizer;
  optimizer.name = named(kOptimizers, view.text("name"));
  optimizer.learning_rate = view.decimal("learningRate", 0);
  optimizer.momentum = view.decimal("momentum", 0);
  optimizer.weight_decay = view.decimal("weightDecay", 0);
  optimizer.beta1 = view.decimal("beta1", optimizer.beta1);
  optimizer.beta2 = view.decimal("beta2", optimizer.beta2);
  optimizer.epsilon = view.decimal("epsilon", optimizer.epsilon);
  return optimizer;
}

ScheduleSpec scheduleOf(const Node& root) {
  const View view(root, "spec.training.schedule");
  ScheduleSpec schedule;
  schedule.name = named(kSchedules, view.text("name"));
  schedule.warmup_steps = view.integer("warmupSteps");
  schedule.hold_epochs = view.integer("holdEpochs");
  schedule.every_epochs = view.integer("everyEpochs");
  schedule.factor = view.decimal("factor", 1);
  return schedule;
}

/// What a program does itself.
void addOwnTraining(const Node& root, const View& view, TrainingSpec& training) {
  training.loss_reduction = named(kReductions, view.text("loss.reduction"));
  training.initializer = {named(kInitializers, view.text("initializer.name")),
                          view.decimal("initializer.scale", 1)};
  training.optimizer = optimizerOf(root);
  training.schedule = scheduleOf(root);
  training.clip_global_norm = view.maybeDecimal("clip.globalNorm");
  training.clip_value = view.maybeDecimal("clip.value");
  training.unroll = view.maybeSmall("unroll").value_or(training.unroll);
  training.evaluation_every_epochs = view.integer("evaluation.everyEpochs");
  training.noise_scale = view.isTrue("noiseScale");
  training.threads = view.smallOrAuto("threads");
  training.kernels = named(kKernelNames, view.text("kernels"));
}

std::optional<ProgramSpec> programOf(const Node& root) {
  if (nodeAt(root, "spec.program") == nullptr) return std::nullopt;
  const View view(root, "spec.program");
  ProgramSpec program{.command = {},
                      .threads = static_cast<int>(view.integer("threads")),
                      .verify = view.integer("verify"),
                      .code = {}};
  for (const Node& word : nodeAt(root, "spec.program.command")->items)
    program.command.push_back(word.text);
  if (view.has("code")) {
    program.code = {.sha256 = view.text("code.sha256"), .files = {}};
    for (const Node& file : nodeAt(root, "spec.program.code.files")->items)
      program.code->files.push_back(file.text);
  }
  return program;
}

TrainingSpec trainingOf(const Node& root, const std::optional<ProgramSpec>& program) {
  const View view(root, "spec.training");
  TrainingSpec training;
  training.batch_size = view.integer("batchSize");
  training.epochs = view.maybeInteger("epochs");
  training.steps = view.maybeInteger("steps");
  training.seed = static_cast<std::uint64_t>(view.integer("seed"));
  training.logical_workers = static_cast<int>(view.integer("logicalWorkers"));
  if (program) {
    training.threads = program->threads;
  } else {
    addOwnTraining(root, view, training);
  }
  return training;
}

/// Of a strategy, in which `exchange` says which of `topology` and `algorithm` counts.
std::optional<ExchangeMethod> methodOf(const View& strategy) {
  const bool reduces = strategy.text("exchange") == "allReduce";
  const std::string_view field = reduces ? "algorithm" : "topology";
  const std::string name =
      strategy.has(field) ? strategy.text(field) : std::string(reduces ? "auto" : "centralized");
  const auto method = exchangeMethodFrom(name);
  SUMAC_CHECK(toString(method) == name && isAllReduce(method) == reduces, name);
  return method;
}

std::optional<AutoscalingSpec> autoscalingOf(const Node& root) {
  if (nodeAt(root, "spec.autoscaling") == nullptr) return std::nullopt;
  const View view(root, "spec.autoscaling");
  AutoscalingSpec spec;
  spec.policy = named(kPolicies, view.text("policy"));
  spec.target_efficiency = view.decimal("targetEfficiency", spec.target_efficiency);
  spec.deadline_seconds = view.integer("deadlineSeconds");
  spec.worker_hour = view.decimal("cost.workerHour", 0);
  spec.server_hour = view.decimal("cost.serverHour", 0);
  spec.budget = view.decimal("cost.budget", 0);
  spec.stabilization_seconds = view.integer("stabilizationSeconds");
  return spec;
}

StrategySpec strategyOf(const Node& root) {
  const View view(root, "spec.strategy");
  StrategySpec strategy;
  strategy.method = methodOf(view);
  strategy.consistency = named(kConsistencies, view.text("consistency"));
  if (view.has("codec")) strategy.codec = named(kCodecs, view.text("codec"));
  return strategy;
}

}  // namespace

std::string_view toString(OptimizerName name) {
  return nameOf(kOptimizers, name);
}

std::string_view toString(ScheduleName name) {
  return nameOf(kSchedules, name);
}

std::string_view toString(AutoscalingPolicy policy) {
  return nameOf(kPolicies, policy);
}

std::string_view toString(DataFormat format) {
  return nameOf(kFormats, format);
}

std::optional<DataFormat> dataFormatNamed(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, [](const auto& one) { return one.first; });
  return found == std::end(kFormats) ? std::nullopt : std::optional(found->second);
}

TrainingJob convert(const Node& root) {
  TrainingJob job;
  const View spec(root, "spec");
  job.name = View(root, "metadata").text("name");
  job.program = programOf(root);
  job.model.name = spec.text("model.name");
  job.model.vocabulary = spec.maybeSmall("model.vocabulary").value_or(0);
  job.model.classes = spec.maybeSmall("model.classes").value_or(0);
  job.data = dataOf(root);
  job.training = trainingOf(root, job.program);
  job.strategy = strategyOf(root);
  job.worker = {static_cast<int>(spec.integer("worker.replicas")),
                spec.maybeSmall("worker.minReplicas"), spec.maybeSmall("worker.maxReplicas")};
  // The resolver removed the section where there are no servers.
  job.server.replicas = spec.maybeSmall("server.replicas").value_or(0);
  job.autoscaling = autoscalingOf(root);
  job.checkpoint.path = spec.text("checkpoint.path");
  job.checkpoint.every_steps = spec.integer("checkpoint.everySteps");
  job.checkpoint.every_seconds = spec.integer("checkpoint.everySeconds");
  job.checkpoint.keep = spec.maybeSmall("checkpoint.keep").value_or(job.checkpoint.keep);
  job.run_policy.join_seconds =
      spec.maybeInteger("runPolicy.joinSeconds").value_or(job.run_policy.join_seconds);
  job.run_policy.stalled_after_seconds = spec.maybeInteger("runPolicy.stalledAfterSeconds");
  job.output_path = spec.text("output.path");
  job.writes_tensorboard = spec.maybeTrue("output.tensorboard");
  job.transport = spec.text("security.transport") == "none" ? Transport::kNone : Transport::kCurve;
  return job;
}

}  // namespace sumac::job
