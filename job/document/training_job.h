#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/codec.h"
#include "job/document/exchange_method.h"
#include "job/model/initializer.h"
#include "job/model/network.h"

namespace sumac::job {

enum class LossReduction { kMean, kSumOverTime };
enum class OptimizerName { kSgd, kNesterov, kAdam };
std::string_view toString(OptimizerName name);  // as in a document: "sgd"
enum class ScheduleName { kConstant, kStep, kExponential, kHold };
std::string_view toString(ScheduleName name);
enum class Kernels { kAuto, kBaseline, kAvx2, kAvx512 };
enum class Consistency {
  kSynchronous,
  kBoundedStaleness,
  kAsynchronous,
  kPartiallySynchronous,
  kWeedOut,
  kElasticAveraging,
};
enum class DataFormat {
  kIdx,
  kCifar10,
  kCifar100,
  kFolder,
  kCsv,
  kNpy,
  kPacked,
  kText,
  kGenerated
};
std::string_view toString(DataFormat format);
/// The reverse; nothing unless it is the name of a format.
std::optional<DataFormat> dataFormatNamed(std::string_view name);
enum class Normalize { kNone, kMeanStd };
enum class Transport { kCurve, kNone };

struct ModelSpec {
  std::string name;                           // of the zoo; empty when `layers` are given
  std::optional<model::NetworkSpec> network;  // the job's own, from `input` and `layers`
  int vocabulary = 0;                         // of a text network; 0: the data's
  int classes = 0;                            // of a network of the zoo; 0: its own
};

/// Data generated from these numbers: images, or text if `vocabulary` is not 0.
struct GeneratedData {
  std::int64_t train_samples = 0;
  std::int64_t test_samples = 0;
  model::Shape shape;  // of one image; empty for text
  int classes = 0;
  std::int64_t train_tokens = 0;
  std::int64_t test_tokens = 0;
  int vocabulary = 0;
};

/// How training images are changed at random.
struct AugmentSpec {
  bool flip = false;
  int crop = 0;    // pixels of padding on each side; 0: none is cut
  int rotate = 0;  // degrees at most; 0: none is turned

  bool isNone() const { return !flip && crop == 0 && rotate == 0; }
};

/// The height and width that images are brought to.
struct ImageSize {
  int height = 0;
  int width = 0;
};

/// The sources that a program's job brings along, in a ConfigMap (job/document/program_code.h).
struct CodeSpec {
  std::string sha256;              // codeHash() of the files
  std::vector<std::string> files;  // relative paths
};

/// The user's program, which each worker runs.
struct ProgramSpec {
  std::vector<std::string> command;
  int threads = 1;
  std::int64_t verify = 0;       // steps between two comparisons of a part's gradient; 0: none
  std::optional<CodeSpec> code;  // none: the sources are where the command finds them
};

struct DataSpec {
  std::string name;  // of a bundled data set; empty if `path` is given
  std::optional<DataFormat> format;
  std::string path;
  std::optional<GeneratedData> generated;  // with its format
  std::optional<ImageSize> resize;         // folder only
  int channels = 0;                        // folder only; 0: as the files have them
  std::string label;                       // csv only: the column with the class
  double validation = 0;                   // share of the training samples; 0: none
  Normalize normalize = Normalize::kNone;
  AugmentSpec augment;
};

struct OptimizerSpec {
  OptimizerName name = OptimizerName::kSgd;
  double learning_rate = 0;
  double momentum = 0;
  double weight_decay = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

struct ScheduleSpec {
  ScheduleName name = ScheduleName::kConstant;
  std::int64_t warmup_steps = 0;
  std::int64_t hold_epochs = 0;
  std::int64_t every_epochs = 0;
  double factor = 1;
};

struct TrainingSpec {
  std::int64_t batch_size = 0;         // of the whole job
  std::optional<std::int64_t> epochs;  // exactly one of epochs and steps
  std::optional<std::int64_t> steps;
  std::uint64_t seed = 1;
  int logical_workers = 1;  // V, resolved
  LossReduction loss_reduction = LossReduction::kMean;
  model::Initializer initializer;
  OptimizerSpec optimizer;
  ScheduleSpec schedule;
  std::optional<double> clip_global_norm;
  std::optional<double> clip_value;
  int unroll = 0;  // time steps of one sample of text; 0: as the model's input says
  std::int64_t evaluation_every_epochs = 1;
  bool noise_scale = false;  // is estimated; changes no bit
  int threads = 1;           // that compute in each worker; 0: auto, as many as the worker may use
  Kernels kernels = Kernels::kAuto;
};

struct StrategySpec {
  std::optional<ExchangeMethod> method = ExchangeMethod::kServers;  // none: auto
  Consistency consistency = Consistency::kSynchronous;
  Codec codec = Codec::kFp32;

  /// Whether the job has server processes. If not, the workers sum, and worker 0 coordinates.
  bool hasServers() const { return method == ExchangeMethod::kServers; }
};

struct WorkerSpec {
  int replicas = 1;
  std::optional<int> min_replicas;
  std::optional<int> max_replicas;
};

struct ServerSpec {
  int replicas = 1;  // 0 exactly where the strategy has no server processes
};

enum class AutoscalingPolicy { kThroughput, kEfficiency, kDeadline, kCost };
std::string_view toString(AutoscalingPolicy policy);

/// How the job chooses its number of workers. Prices are 0 where there are none.
struct AutoscalingSpec {
  AutoscalingPolicy policy = AutoscalingPolicy::kThroughput;
  double target_efficiency = 0.7;
  std::int64_t deadline_seconds = 0;  // 0: none
  double worker_hour = 0;
  double server_hour = 0;
  double budget = 0;
  std::int64_t stabilization_seconds = 60;
};

struct CheckpointSpec {
  std::string path;  // empty: no checkpoints
  std::int64_t every_steps = 0;
  std::int64_t every_seconds = 0;  // 0: not by time
  int keep = 3;
};

/// What members do about others that do not come, or hang.
struct RunPolicySpec {
  std::int64_t join_seconds = 600;
  std::optional<std::int64_t> stalled_after_seconds;  // none: nobody is said to hang
};

/// A TrainingJob that passed every check, with all defaults set: the form that the programs use.
/// What only the operator needs (templates, volumes, the rest of the run policy) stays in the
/// document. A value type.
struct TrainingJob {
  std::string name;
  std::optional<ProgramSpec> program;  // in place of model and data, and of most of training
  ModelSpec model;
  DataSpec data;
  TrainingSpec training;
  StrategySpec strategy;
  WorkerSpec worker;
  ServerSpec server;
  std::optional<AutoscalingSpec> autoscaling;
  CheckpointSpec checkpoint;
  RunPolicySpec run_policy;
  std::string output_path;
  std::optional<bool>
      writes_tensorboard;  // into the output folder; none: who starts members decides
  Transport transport = Transport::kCurve;

  /// Whether members may come, go and be lost while the others train on: where the bits of a sum do
  /// not depend on who computes it, all workers together make each step, and a roster with all of
  /// them is not too long.
  bool canChangeMembers() const { return fixedMembersCause().empty(); }
  /// The field that keeps them from it, and why; empty if none does.
  std::string fixedMembersCause() const;
};

}  // namespace sumac::job
