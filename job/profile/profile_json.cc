#include "job/profile/profile_json.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include "base/core/rounded.h"
#include "job/profile/json_reader.h"

namespace sumac {
namespace {

using Json = nlohmann::ordered_json;
using internal::ObjectReader;
using nlohmann::json;

constexpr int kSchemaVersion = 1;
constexpr int kMaxLevels = 8;
constexpr std::size_t kMaxBatches = 256;
constexpr std::size_t kMaxLayers = 10'000;
constexpr std::size_t kMaxTensors = 64;  // of a layer; one LSTM has three for each of its layers
constexpr std::size_t kMaxLinks = 1'000;
constexpr std::size_t kMaxText = 256;
constexpr int kDigestDigits = 64;
constexpr double kMaxSeconds = 1e6;  // of anything that is timed: eleven days
constexpr double kMaxRate = 1e15;    // bytes a second
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;
constexpr std::int64_t kMaxSamples = std::int64_t{1} << 40;
constexpr std::int64_t kMaxParts = 1'000'000;
constexpr std::int64_t kMaxCores = 1'000'000;
// Work of others makes nothing faster: what was measured below is chance.
constexpr double kLeastCrowded = 1;
constexpr double kMaxCrowded = 1000;

Json timingJson(const Timing& timing) {
  return {{"median", rounded(timing.median)},
          {"lower", rounded(timing.lower)},
          {"upper", rounded(timing.upper)}};
}

Json layerJson(const LayerProfile& layer) {
  Json tensors = Json::array();
  for (const TensorProfile& tensor : layer.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"values", tensor.values},
                       {"gradientSeconds", rounded(tensor.gradient_seconds)}});
  }
  return {{"name", layer.name},
          {"forwardSeconds", rounded(layer.forward_seconds)},
          {"tensors", tensors},
          {"inputGradientSeconds", rounded(layer.input_gradient_seconds)},
          {"updateSeconds", rounded(layer.update_seconds)},
          {"valueBytes", layer.value_bytes}};
}

Json batchJson(const BatchProfile& batch) {
  Json layers = Json::array();
  for (const LayerProfile& layer : batch.layers)
    layers.push_back(layerJson(layer));
  return {{"samples", batch.samples},
          {"parts", batch.parts},
          {"threads", batch.threads},
          {"forwardSeconds", timingJson(batch.forward)},
          {"backwardSeconds", timingJson(batch.backward)},
          {"updateSeconds", timingJson(batch.update)},
          {"crowded", rounded(std::clamp(batch.crowded, kLeastCrowded, kMaxCrowded))},
          {"workspaceBytes", batch.workspace_bytes},
          {"layers", layers}};
}

Json machineJson(const ProfileMachine& machine) {
  Json written{{"host", machine.host},
               {"cpu", machine.cpu},
               {"kernels", machine.kernels},
               {"cores", machine.cores}};
  if (machine.quota) written["quota"] = rounded(*machine.quota);
  return written;
}

Timing timingFrom(ObjectReader& fields, const char* name, std::string& problem) {
  ObjectReader inner(fields.value(name), fields.pathOf(name), problem);
  const Timing timing{inner.number("median", kMaxSeconds), inner.number("lower", kMaxSeconds),
                      inner.number("upper", kMaxSeconds)};
  inner.refuseOthers();
  if (timing.lower > timing.median || timing.median > timing.upper)
    fields.complain(name, "its quartiles must lie around the median");
  return timing;
}

/// A timing of something that takes time.
Timing spanFrom(ObjectReader& fields, const char* name, std::string& problem) {
  const Timing timing = timingFrom(fields, name, problem);
  if (timing.median <= 0) fields.complain(name, "its median must be above 0");
  return timing;
}

std::string itemPath(const ObjectReader& fields, const char* list, std::size_t index) {
  return fields.pathOf(list) + "[" + std::to_string(index) + "]";
}

TensorProfile tensorFrom(const json& value, const std::string& path, std::string& problem) {
  ObjectReader fields(value, path, problem);
  TensorProfile tensor;
  tensor.name = fields.text("name", kMaxText);
  tensor.values = fields.whole("values", 1, kMaxSamples);
  tensor.gradient_seconds = fields.number("gradientSeconds", kMaxSeconds);
  fields.refuseOthers();
  return tensor;
}

LayerProfile layerFrom(const json& value, const std::string& path, std::string& problem) {
  ObjectReader fields(value, path, problem);
  LayerProfile layer;
  layer.name = fields.text("name", kMaxText);
  layer.forward_seconds = fields.number("forwardSeconds", kMaxSeconds);
  const json& tensors = fields.list("tensors", kMaxTensors);
  std::set<std::string> names;
  for (std::size_t i = 0; i < tensors.size() && problem.empty(); ++i) {
    layer.tensors.push_back(tensorFrom(tensors[i], itemPath(fields, "tensors", i), problem));
    if (!names.insert(layer.tensors.back().name).second)
      fields.complain("tensors", "\"" + layer.tensors.back().name + "\" comes twice");
  }
  layer.input_gradient_seconds = fields.number("inputGradientSeconds", kMaxSeconds);
  layer.update_seconds = fields.number("updateSeconds", kMaxSeconds);
  layer.value_bytes = fields.whole("valueBytes", 0, kMaxBytes);
  fields.refuseOthers();
  return layer;
}

BatchProfile batchFrom(const json& value, const std::string& path, std::string& problem) {
  ObjectReader fields(value, path, problem);
  BatchProfile batch;
  batch.samples = fields.whole("samples", 1, kMaxSamples);
  batch.parts = static_cast<int>(fields.whole("parts", 1, kMaxParts));
  batch.threads = static_cast<int>(fields.whole("threads", 1, kMaxCores));
  if (batch.parts > batch.samples) fields.complain("parts", "there are more than samples");
  batch.forward = spanFrom(fields, "forwardSeconds", problem);
  batch.backward = spanFrom(fields, "backwardSeconds", problem);
  batch.update = timingFrom(fields, "updateSeconds", problem);
  if (fields.has("crowded")) batch.crowded = fields.number("crowded", kMaxCrowded, kLeastCrowded);
  batch.workspace_bytes = fields.whole("workspaceBytes", 0, kMaxBytes);
  const json& layers = fields.list("layers", kMaxLayers);
  std::set<std::string> names;
  for (std::size_t i = 0; i < layers.size() && problem.empty(); ++i) {
    batch.layers.push_back(layerFrom(layers[i], itemPath(fields, "layers", i), problem));
    if (!names.insert(batch.layers.back().name).second)
      fields.complain("layers", "\"" + batch.layers.back().name + "\" comes twice");
  }
  fields.refuseOthers();
  return batch;
}

/// One that is measured.
ExchangeMethod methodFrom(ObjectReader& fields) {
  const auto method = exchangeMethodFrom(fields.text("summedBy", kMaxText));
  for (const auto measured :
       {ExchangeMethod::kServers, ExchangeMethod::kDecentralized, ExchangeMethod::kDirect})
    if (method == measured) return measured;
  fields.complain("summedBy", "must be centralized, decentralized or direct");
  return ExchangeMethod::kServers;
}

Json linkJson(const LinkMeasurement& link) {
  return {
      {"path", link.path},       {"bytes", link.bytes},     {"summedBy", toString(link.method)},
      {"workers", link.workers}, {"servers", link.servers}, {"seconds", timingJson(link.seconds)}};
}

/// A profile of before has exchanges of one worker and one server only, and does not say so.
void readMembers(ObjectReader& fields, LinkMeasurement& link) {
  if (!fields.has("workers")) return;
  link.method = methodFrom(fields);
  link.workers = static_cast<int>(fields.whole("workers", 1, kMaxParts));
  link.servers = static_cast<int>(fields.whole("servers", 0, kMaxParts));
  if ((link.servers == 0) == (link.method == ExchangeMethod::kServers))
    fields.complain("servers", "must be above 0 where servers sum, and else 0");
}

LinkMeasurement linkFrom(const json& value, const std::string& path, std::string& problem) {
  ObjectReader fields(value, path, problem);
  LinkMeasurement link;
  link.path = fields.text("path", kMaxText);
  link.bytes = fields.whole("bytes", 0, kMaxBytes);
  link.seconds = spanFrom(fields, "seconds", problem);
  readMembers(fields, link);
  fields.refuseOthers();
  return link;
}

ProfileMachine machineFrom(ObjectReader& whole, std::string& problem) {
  ObjectReader fields(whole.value("machine"), "machine", problem);
  ProfileMachine machine;
  machine.host = fields.text("host", kMaxText);
  machine.cpu = fields.text("cpu", kMaxText);
  machine.kernels = fields.text("kernels", kMaxText);
  constexpr std::array kVariants{"baseline", "avx2", "avx512"};
  if (std::ranges::find(kVariants, machine.kernels) == kVariants.end())
    fields.complain("kernels", "must be baseline, avx2 or avx512");
  machine.cores = static_cast<int>(fields.whole("cores", 1, kMaxCores));
  if (fields.has("quota")) {
    machine.quota = fields.number("quota", static_cast<double>(kMaxCores));
    if (*machine.quota <= 0)
      fields.complain("quota", "must be above 0; without a limit leave it out");
  }
  fields.refuseOthers();
  return machine;
}

ProfileSubject subjectFrom(ObjectReader& whole, std::string& problem) {
  ObjectReader fields(whole.value("network"), "network", problem);
  ProfileSubject subject;
  subject.network = fields.text("name", kMaxText);
  subject.sha256 = fields.text("sha256", kDigestDigits);
  const bool is_digest = subject.sha256.size() == kDigestDigits &&
                         subject.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_digest) fields.complain("sha256", "must be 64 hexadecimal digits");
  subject.optimizer = fields.text("optimizer", kMaxText);
  subject.parts = static_cast<int>(fields.whole("logicalWorkers", 1, kMaxParts));
  fields.refuseOthers();
  return subject;
}

void readBatches(ObjectReader& whole, JobProfile& profile, std::string& problem) {
  const json& batches = whole.list("batches", kMaxBatches);
  std::set<std::tuple<std::int64_t, int, int>> seen;
  for (std::size_t i = 0; i < batches.size() && problem.empty(); ++i) {
    const std::string path = itemPath(whole, "batches", i);
    profile.batches.push_back(batchFrom(batches[i], path, problem));
    const BatchProfile& batch = profile.batches.back();
    if (!seen.insert({batch.samples, batch.parts, batch.threads}).second && problem.empty())
      problem = path + ": its samples, parts and threads are those of another batch";
  }
}

void readLinks(ObjectReader& whole, JobProfile& profile, std::string& problem) {
  const json& links = whole.list("links", kMaxLinks);
  std::set<std::tuple<std::string, std::int64_t, ExchangeMethod, int, int>> seen;
  for (std::size_t i = 0; i < links.size() && problem.empty(); ++i) {
    const std::string path = itemPath(whole, "links", i);
    profile.links.push_back(linkFrom(links[i], path, problem));
    const LinkMeasurement& link = profile.links.back();
    const bool is_new =
        seen.insert({link.path, link.bytes, link.method, link.workers, link.servers}).second;
    if (!is_new && problem.empty())
      problem = path + ": its path, bytes and members are those of another link";
  }
}

}  // namespace

std::string toJson(const JobProfile& profile) {
  Json batches = Json::array();
  for (const BatchProfile& batch : profile.batches)
    batches.push_back(batchJson(batch));
  Json links = Json::array();
  for (const LinkMeasurement& link : profile.links)
    links.push_back(linkJson(link));
  const Json whole{{"schemaVersion", kSchemaVersion},
                   {"kind", "Profile"},
                   {"version", profile.version},
                   {"machine", machineJson(profile.machine)},
                   {"network",
                    {{"name", profile.subject.network},
                     {"sha256", profile.subject.sha256},
                     {"optimizer", profile.subject.optimizer},
                     {"logicalWorkers", profile.subject.parts}}},
                   {"batches", batches},
                   {"links", links},
                   {"sumBytesPerSecond", rounded(profile.sum_bytes_per_second)}};
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<JobProfile> profileFromJson(std::string_view text) {
  const auto document = internal::parseStrictly(text, kMaxProfileBytes, kMaxLevels);
  if (!document) return document.error().within("not a profile");
  std::string problem;
  ObjectReader fields(*document, "", problem);
  if (fields.has("schemaVersion") && fields.value("schemaVersion") != kSchemaVersion)
    fields.complain("schemaVersion", "must be 1; measure again with sumac profile");
  fields.whole("schemaVersion", kSchemaVersion, kSchemaVersion);
  if (fields.value("kind") != "Profile") fields.complain("kind", "must be \"Profile\"");
  JobProfile profile;
  profile.version = fields.text("version", kMaxText);
  profile.machine = machineFrom(fields, problem);
  profile.subject = subjectFrom(fields, problem);
  readBatches(fields, profile, problem);
  readLinks(fields, profile, problem);
  profile.sum_bytes_per_second = fields.number("sumBytesPerSecond", kMaxRate);
  fields.refuseOthers();
  if (problem.empty()) return profile;
  return Error{ErrorCode::kInvalid, "not a profile: " + problem};
}

}  // namespace sumac
