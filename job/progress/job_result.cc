#include "job/progress/job_result.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "job/progress/json_fields.h"
#include "job/progress/progress.h"

namespace sumac {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

namespace names = internal::names;

constexpr int kSchemaVersion = 1;
constexpr std::size_t kMostMessage = 1024;  // a pod's containers share 12 KiB
constexpr std::size_t kMostRead = 4096;     // kubelets cut there
constexpr std::size_t kMaxPath = 1024;      // as the status' schema has it

constexpr const char* kState = "state";
constexpr const char* kSucceeded = "Succeeded";
constexpr const char* kSteps = "steps";
constexpr const char* kEpochs = "epochs";
constexpr const char* kEmulated = "emulated";
constexpr const char* kEmulatedSeconds = "emulatedSeconds";
constexpr const char* kSentBytes = "sentBytes";
constexpr const char* kReceivedBytes = "receivedBytes";
constexpr const char* kHash = "parametersSha256";
constexpr const char* kModelPath = "modelPath";
constexpr const char* kUnkept = "checkpointNotWritten";
constexpr const char* kLogicalWorkers = "logicalWorkers";
constexpr const char* kNumerics = "numerics";
constexpr const char* kSeed = "seed";
constexpr const char* kVersion = "version";
constexpr const char* kWorkerTimes = "workerTimes";

bool isHash(const std::string& text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

void putText(ordered_json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

void putTime(ordered_json& object, const char* name, const std::optional<WallTime>& time) {
  if (time) object[name] = toRfc3339(*time);
}

/// How a number is written: as such or, in a status, as text.
using Put = void (*)(ordered_json&, const char*, std::optional<double>);

void putScores(ordered_json& object, const JobResult& result, Put put) {
  put(object, names::kLoss, result.loss);
  put(object, names::kValidAccuracy, result.valid_accuracy);
  put(object, names::kTestAccuracy, result.test_accuracy);
  put(object, names::kValidPerplexity, result.valid_perplexity);
  put(object, names::kTestPerplexity, result.test_perplexity);
  putText(object, kHash, result.parameters_sha256);
}

void putSpeed(ordered_json& object, const JobResult& result, Put put) {
  put(object, names::kSeconds, result.seconds);
  put(object, names::kSamplesPerSecond, result.samples_per_second);
  put(object, names::kBatchesPerSecond, result.batches_per_second);
}

/// What fixes the bits, besides the job.
void putIdentity(ordered_json& object, const JobResult::Setting& setting) {
  object[kLogicalWorkers] = setting.logical_workers;
  object[names::kWorkers] = setting.workers;
  object[names::kServers] = setting.servers;
  object[kNumerics] = setting.numerics;
  object[kSeed] = setting.seed;
  object[kVersion] = setting.version;
}

void putSetting(ordered_json& object, const JobResult::Setting& setting) {
  object["job"] = setting.job;
  object["model"] = setting.model;
  object["topology"] = setting.topology;
  object["batchSize"] = setting.batch_size;
  putIdentity(object, setting);
  object["threads"] = setting.threads;
  object["kernels"] = setting.kernels;
  object["cpu"] = setting.cpu;
}

ordered_json toJson(const JobResult::AllReduce::Numbers& numbers) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : numbers)
    internal::putNumber(object, name.c_str(), value);
  return object;
}

void putAllReduce(ordered_json& object, const JobResult::AllReduce& all_reduce) {
  putText(object, "algorithm", all_reduce.algorithm);
  if (!all_reduce.choice) return;
  const auto& choice = *all_reduce.choice;
  object["auto"] = {{"fromCheckpoint", choice.is_resumed},
                    {"linksMeasured", choice.links},
                    {"costs", toJson(choice.costs)},
                    {"predictedSeconds", toJson(choice.predicted)}};
}

void putSplit(ordered_json& object, const JobResult::Split& split) {
  internal::putNumber(object, "computeSeconds", split.compute);
  internal::putNumber(object, "sumWaitSeconds", split.sum_wait);
  internal::putNumber(object, names::kDataWaitSeconds, split.data_wait);
  internal::putNumber(object, "evaluationSeconds", split.evaluation);
  internal::putNumber(object, "checkpointSeconds", split.checkpoint);
}

/// Appends all fields.
void putAll(ordered_json& object, const JobResult& result) {
  object["schemaVersion"] = kSchemaVersion;
  object[kState] = kSucceeded;
  putSetting(object, result.setting);
  putAllReduce(object, result.all_reduce);
  if (result.is_emulated) object[kEmulated] = true;
  if (result.emulated_computing) object[kEmulatedSeconds] = toJson(*result.emulated_computing);
  object[kSteps] = result.steps;
  object[kEpochs] = result.epochs;
  object["samples"] = result.steps * result.setting.batch_size;
  putScores(object, result, internal::putNumber);
  if (result.noise_scale) internal::putNoiseScale(object, *result.noise_scale);
  putText(object, kModelPath, result.model_path);
  putText(object, kUnkept, result.unkept);
  putTime(object, "startTime", result.started);
  putTime(object, "endTime", result.ended);
  putSpeed(object, result, internal::putNumber);
  if (result.batches_per_second) {
    internal::putNumber(object, "workerBatchesPerSecond",
                        *result.batches_per_second * result.setting.workers);
  }
  putSplit(object, result.split);
  if (!result.worker_times.empty()) object[kWorkerTimes] = toJson(result.worker_times);
  object[kSentBytes] = result.sent_bytes;
  object[kReceivedBytes] = result.received_bytes;
}

Result<std::string> textIn(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::string();
  if (found->is_string()) return found->get<std::string>();
  return Error{ErrorCode::kInvalid, std::string(name) + ": must be text"};
}

/// 0 where there is none.
std::uint64_t countIn(const json& object, const char* name, std::uint64_t most) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_unsigned()) return 0;
  const auto value = found->get<std::uint64_t>();
  return value <= most ? value : 0;
}

int numberIn(const json& object, const char* name) {
  return static_cast<int>(countIn(object, name, std::numeric_limits<int>::max()));
}

std::string nameIn(const json& object, const char* name) {
  const auto text = textIn(object, name);
  return text ? *text : std::string();
}

JobResult::Setting identityIn(const json& object) {
  JobResult::Setting setting;
  setting.logical_workers = numberIn(object, kLogicalWorkers);
  setting.workers = numberIn(object, names::kWorkers);
  setting.servers = numberIn(object, names::kServers);
  setting.numerics = nameIn(object, kNumerics);
  setting.seed = countIn(object, kSeed, std::numeric_limits<std::uint64_t>::max());
  setting.version = nameIn(object, kVersion);
  return setting;
}

/// Where a state is given, it says that the job is complete.
Result<void> requireSuccess(const json& object) {
  const auto state = textIn(object, kState);
  if (!state) return state.error();
  if (state->empty() || *state == kSucceeded) return {};
  return Error{ErrorCode::kInvalid, std::string(kState) + " is not " + kSucceeded};
}

Error noResult(const std::string& why) {
  return {ErrorCode::kInvalid, "the termination message is not a result: " + why};
}

}  // namespace

std::string toLine(const JobResult& result) {
  ordered_json object{{names::kEvent, "result"}};
  putAll(object, result);
  return internal::dumped(object);
}

std::string toFile(const JobResult& result) {
  ordered_json object;
  putAll(object, result);
  return object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string toMessage(const JobResult& result) {
  ordered_json object{{names::kEvent, "result"},
                      {kState, kSucceeded},
                      {kSteps, result.steps},
                      {kEpochs, result.epochs}};
  if (result.is_emulated) object[kEmulated] = true;
  putSpeed(object, result, internal::putNumber);
  putScores(object, result, internal::putNumber);
  putIdentity(object, result.setting);
  object[kSentBytes] = result.sent_bytes;
  object[kReceivedBytes] = result.received_bytes;
  const std::string without = internal::dumped(object);
  putText(object, kModelPath, result.model_path);
  std::string with = internal::dumped(object);
  return with.size() <= kMostMessage ? with : without;
}

ordered_json toStatusJson(const JobResult& result) {
  ordered_json object{{kSteps, result.steps}};
  putSpeed(object, result, internal::putDecimal);
  putScores(object, result, internal::putDecimal);
  putText(object, kModelPath, result.model_path);
  return object;
}

Result<JobResult> jobResultFromJson(const json& object) {
  if (!object.is_object()) return Error{ErrorCode::kInvalid, "it is not a JSON object"};
  if (auto succeeded = requireSuccess(object); !succeeded) return succeeded.error();
  const auto steps = internal::wholeIn(object, kSteps);
  const auto epochs = internal::wholeIn(object, kEpochs);
  for (const auto* number : {&steps, &epochs}) {
    if (!*number) return number->error();
  }
  auto hash = textIn(object, kHash);
  if (!hash) return hash.error();
  auto path = textIn(object, kModelPath);
  if (!path) return path.error();
  if (!hash->empty() && !isHash(*hash)) {
    return Error{ErrorCode::kInvalid, std::string(kHash) + ": must be 64 hexadecimal digits"};
  }
  if (path->size() > kMaxPath) {
    return Error{ErrorCode::kInvalid, std::string(kModelPath) + ": too long"};
  }
  JobResult result;
  result.setting = identityIn(object);
  const auto emulated = object.find(kEmulated);
  result.is_emulated = emulated != object.end() && *emulated == true;
  result.emulated_computing = emulatedComputingFrom(object.value(kEmulatedSeconds, json()));
  result.steps = *steps;
  result.epochs = *epochs;
  result.parameters_sha256 = *std::move(hash);
  result.model_path = *std::move(path);
  result.unkept = nameIn(object, kUnkept);
  result.loss = internal::decimalIn(object, names::kLoss);
  result.valid_accuracy = internal::decimalIn(object, names::kValidAccuracy);
  result.test_accuracy = internal::decimalIn(object, names::kTestAccuracy);
  result.valid_perplexity = internal::decimalIn(object, names::kValidPerplexity);
  result.test_perplexity = internal::decimalIn(object, names::kTestPerplexity);
  result.noise_scale = internal::noiseScaleIn(object);
  result.seconds = internal::decimalIn(object, names::kSeconds);
  result.samples_per_second = internal::decimalIn(object, names::kSamplesPerSecond);
  result.batches_per_second = internal::decimalIn(object, names::kBatchesPerSecond);
  if (const auto times = object.find(kWorkerTimes); times != object.end())
    result.worker_times = workerTimesFrom(*times);
  return result;
}

Result<JobResult> jobResultFromMessage(const std::string& message) {
  if (message.size() > kMostRead) {
    return noResult(std::to_string(message.size()) + " bytes, at most " +
                    std::to_string(kMostRead) + " are read");
  }
  const json object = json::parse(message, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return noResult("it is not a JSON object");
  if (!object.contains(kSteps)) return noResult("steps: missing");
  auto result = jobResultFromJson(object);
  if (!result) return noResult(result.error().message);
  return result;
}

}  // namespace sumac
