#include "cli/plan/plan_profile.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "common/base/file.h"
#include "common/profile/profile_json.h"

namespace sumac::cli {
namespace {

Error invalid(const std::filesystem::path& file, const std::string& reason) {
  return Error{ErrorCode::kInvalid, file.string() + ": " + reason};
}

Result<JobProfile> profileIn(const std::filesystem::path& file, const ProfileNeed& need) {
  const auto text = readTextFile(file, kMaxProfileBytes);
  if (!text) return text.error();
  auto profile = profileFromJson(*text);
  if (!profile) return profile.error().within(file.string());
  if (const auto reason = whyNot(*profile, need); !reason.empty()) return invalid(file, reason);
  if (profile->batches.empty()) return invalid(file, "the profile has no batches");
  return profile;
}

void addBatches(std::vector<BatchProfile> batches, JobProfile& to) {
  const auto key = [](const BatchProfile& batch) {
    return std::tuple(batch.samples, batch.parts, batch.threads);
  };
  for (BatchProfile& batch : batches) {
    if (std::ranges::count(to.batches, key(batch), key) == 0)
      to.batches.push_back(std::move(batch));
  }
}

}  // namespace

Result<JobProfile> planProfile(const std::vector<std::filesystem::path>& files,
                               const ProfileNeed& need) {
  if (files.empty())
    return Error{ErrorCode::kInvalid, "give a profile with --profile; sumac profile measures one"};
  auto whole = profileIn(files.front(), need);
  for (std::size_t i = 1; whole && i < files.size(); ++i) {
    auto other = profileIn(files[i], need);
    if (!other) return other;
    if (other->machine != whole->machine)
      return invalid(files[i], "the profile is of another machine than " + files.front().string() +
                                   "; give profiles of one machine");
    addBatches(std::move(other->batches), *whole);
  }
  return whole;
}

}  // namespace sumac::cli
