#include "engine/checkpoint/manifest.h"

#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/crc32c.h"

namespace sumac::checkpoint {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxVectors = 8;  // Adam, the largest, has two

json toJson(const FileEntry& file) {
  return {{"name", file.name}, {"length", file.length}, {"crc32c", file.crc}};
}

std::string printed(const json& node, int indent) {
  return node.dump(indent, ' ', false, json::error_handler_t::replace);
}

/// 0 where it is no whole number or does not fit: then the text that is written differs, and the
/// manifest is rejected. What json makes of a decimal out of range is undefined.
template <typename Number>
Number wholeFrom(const json& node) {
  const auto* const whole = node.get_ptr<const json::number_unsigned_t*>();
  if (whole == nullptr || !std::in_range<Number>(*whole)) return 0;
  return static_cast<Number>(*whole);
}

FileEntry fileFrom(const json& node) {
  return FileEntry{node.at("name").get<std::string>(), wholeFrom<std::uint64_t>(node.at("length")),
                   wholeFrom<std::uint32_t>(node.at("crc32c"))};
}

std::int64_t countFrom(const json& node) {
  return static_cast<std::int64_t>(wholeFrom<std::uint32_t>(node));
}

/// The fields, not yet checked; json throws where one is missing or of another type.
Manifest manifestFrom(const json& body) {
  Manifest manifest;
  manifest.format = wholeFrom<int>(body.at("format"));
  manifest.step = wholeFrom<Step>(body.at("step"));
  manifest.term = wholeFrom<std::uint32_t>(body.at("term"));
  manifest.plan_hash = body.at("planHash").get<std::string>();
  manifest.numerics = body.at("numerics").get<std::string>();
  manifest.optimizer = body.at("optimizer").get<std::vector<std::string>>();
  manifest.model = fileFrom(body.at("files").at(0));
  manifest.optimizer_file = fileFrom(body.at("files").at(1));
  if (manifest.isOfProgram()) manifest.program_file = fileFrom(body.at("files").at(2));
  if (body.contains("partState")) {
    manifest.recurrent = countFrom(body.at("partState").at("recurrent"));
    manifest.statistics = countFrom(body.at("partState").at("statistics"));
    manifest.state_file = fileFrom(body.at("files").at(2));
  }
  if (body.contains("chosen")) {
    manifest.algorithm = body.at("chosen").at("algorithm").get<std::string>();
    manifest.workers = wholeFrom<int>(body.at("chosen").at("workers"));
  }
  return manifest;
}

}  // namespace

FileEntry FileEntry::of(std::string_view name, BytesView content) {
  return FileEntry{std::string(name), content.size(), crc32c(content)};
}

bool FileEntry::matches(BytesView content) const {
  return content.size() == length && crc32c(content) == crc;
}

std::vector<FileEntry> Manifest::files() const {
  std::vector<FileEntry> files{model, optimizer_file};
  if (hasState()) files.push_back(state_file);
  if (isOfProgram()) files.push_back(program_file);
  return files;
}

std::string Manifest::text() const {
  json listed = json::array();
  for (const FileEntry& file : files())
    listed.push_back(toJson(file));
  json body = {{"format", format},          {"step", step},         {"term", term},
               {"planHash", plan_hash},     {"numerics", numerics}, {"optimizer", optimizer},
               {"files", std::move(listed)}};
  if (hasState()) body["partState"] = {{"recurrent", recurrent}, {"statistics", statistics}};
  if (!algorithm.empty()) body["chosen"] = {{"algorithm", algorithm}, {"workers", workers}};
  const json whole = {{"checkpoint", body}, {"crc32c", crc32c(asBytes(printed(body, -1)))}};
  return printed(whole, 2) + "\n";
}

Result<Manifest> Manifest::parse(std::string_view text) {
  const Error broken{ErrorCode::kInvalid, "it is damaged or not a checkpoint's manifest"};
  const json whole = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (whole.is_discarded()) return broken;
  Manifest manifest;
  try {
    const json& body = whole.at("checkpoint");
    const json& format = body.at("format");
    if (!format.is_number()) return broken;  // anything: to print it may take a call a level
    if (!format.is_number_unsigned() || format < 1 || format > kProgramFormat) {
      return Error{ErrorCode::kUnsupported, "its format is " + printed(format, -1) +
                                                ", this version reads 1 to " +
                                                std::to_string(kProgramFormat)};
    }
    manifest = manifestFrom(body);
  } catch (const json::exception&) {
    return broken;
  }
  // Writing it again compares every byte, the checksum included.
  if (manifest.text() != text) return broken;
  const bool has_its_own =
      manifest.isOfProgram() ? manifest.program_file.name == kProgramFile && !manifest.hasState() &&
                                   manifest.optimizer.empty()
                             : (manifest.format == kAlgorithmFormat) != manifest.algorithm.empty();
  if (!has_its_own || manifest.step < 0 || manifest.model.name != kModelFile ||
      manifest.optimizer_file.name != kOptimizerFile || manifest.optimizer.size() > kMaxVectors ||
      (manifest.hasState() && manifest.state_file.name != kStateFile)) {
    return broken;
  }
  return manifest;
}

}  // namespace sumac::checkpoint
