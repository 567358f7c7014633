#include "cli/plan/result_noise.h"

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "base/yaml/reader.h"
#include "cli/plan/plan_amounts.h"
#include "job/document/job.h"
#include "job/document/network_of.h"
#include "job/profile/subject.h"

namespace sumac::cli {
namespace {

constexpr std::size_t kMostResult = 1024UL * 1024;

Error wrong(const std::filesystem::path& file, const std::string& reason) {
  return Error{ErrorCode::kInvalid, file.string() + ": " + reason};
}

Error anotherJob(const std::filesystem::path& file, const std::string& what,
                 const std::string& there, const std::string& here) {
  return wrong(file, "the result is of " + what + " " + there + ", the job has " + here +
                         "; give that of a run of this job");
}

/// A file that has what every run's result has.
Result<nlohmann::json> resultIn(const std::filesystem::path& file) {
  const auto text = readTextFile(file, kMostResult);
  if (!text) return text.error();
  auto json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const bool is_result = json.is_object() && json.contains("steps") && json.contains("state");
  if (!is_result) return wrong(file, "this is not the result of a run; give its result.json");
  if (json["state"] != "Succeeded") return wrong(file, "the run did not succeed");
  return json;
}

std::string textIn(const nlohmann::json& result, const char* name) {
  const auto found = result.find(name);
  return found != result.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// What the job beside a result is of; nothing where there is none, or it is of another run.
std::optional<ProfileSubject> subjectBeside(const std::filesystem::path& file,
                                            const std::string& job) {
  const auto text = readTextFile(file.parent_path() / "job.yaml", yaml::kMaxBytes);
  if (!text) return std::nullopt;
  const auto reading = job::readJob(*text, "job.yaml", {}, /*needs_to_run=*/false);
  if (!reading.job || reading.job->name != job) return std::nullopt;
  const auto& generated = reading.job->data.generated;
  const auto network = job::networkOf(*reading.job, generated ? generated->vocabulary : 0);
  if (!network) return std::nullopt;
  return subjectOf(*reading.job, *network);
}

Result<void> compare(const std::filesystem::path& file, const ProfileSubject& there,
                     const ProfileSubject& here) {
  if (there.network != here.network)
    return anotherJob(file, "the network", there.network, here.network);
  if (there.sha256 != here.sha256)
    return wrong(file, "the result is of another network " + there.network +
                           "; give that of a run of this job");
  if (there.optimizer != here.optimizer)
    return anotherJob(file, "the optimizer", there.optimizer, here.optimizer);
  return {};
}

/// One number of the noise scale; nothing where the result has none.
Result<std::optional<double>> noiseField(const std::filesystem::path& file,
                                         const nlohmann::json& result, const char* name) {
  const auto found = result.find(name);
  if (found == result.end() || found->is_null()) return std::optional<double>();
  const double samples = found->is_number() ? found->get<double>() : 0;
  if (samples > 0 && samples <= kMostNoise) return std::optional(samples);
  return wrong(file, std::string(name) + ": found " +
                         (found->is_number() ? found->dump() : found->type_name()) +
                         ", must be a number of samples > 0, <= 1e12; run it for more steps, or "
                         "give --noise-scale");
}

Result<planner::NoiseFigure> figureIn(const std::filesystem::path& file,
                                      const nlohmann::json& result) {
  const auto samples = noiseField(file, result, "noiseScale");
  const auto low = noiseField(file, result, "noiseScaleLow");
  const auto high = noiseField(file, result, "noiseScaleHigh");
  for (const auto* const field : {&samples, &low, &high})
    if (!*field) return field->error();
  if (!*samples)
    return wrong(file,
                 "the run estimated no noise scale; run it with --set training.noiseScale=true");
  if (low->value_or(**samples) > **samples || high->value_or(**samples) < **samples)
    return wrong(file, "noiseScale: lies outside of noiseScaleLow to noiseScaleHigh");
  planner::NoiseFigure noise{{}, *low, *high};
  noise.samples.value = **samples;
  noise.samples.origin = planner::FigureOrigin::kMeasured;
  noise.samples.source = file.string();
  return noise;
}

}  // namespace

Result<ResultNoise> noiseOfResult(const std::filesystem::path& file,
                                  const ProfileSubject& subject) {
  const auto json = resultIn(file);
  if (!json) return json.error();
  ResultNoise noise;
  if (json->contains("model")) {
    const std::string model = textIn(*json, "model");
    const std::string network = model.empty() ? "layers" : model;
    if (network != subject.network)
      return anotherJob(file, "the network", network, subject.network);
  }
  if (const auto beside = subjectBeside(file, textIn(*json, "job"))) {
    if (const auto compared = compare(file, *beside, subject); !compared) return compared.error();
  } else {
    noise.note = planner::Note{planner::NoteKind::kResultWithoutJob, 0, 0, file.string()};
  }
  auto figure = figureIn(file, *json);
  if (!figure) return figure.error();
  noise.figure = *std::move(figure);
  return noise;
}

}  // namespace sumac::cli
