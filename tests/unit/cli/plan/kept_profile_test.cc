#include "cli/plan/kept_profile.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/version.h"
#include "tests/support/golden.h"
#include "tests/unit/cli/plan/planned.h"

namespace sumac::cli::kept_profile_test {
namespace {

constexpr int kParts = 2;  // of a worker of the job: two workers, V = 4

/// Calls without --profile, on a machine whose measurements are made up and counted.
class Kept : public PlanCalls {
 public:
  Kept() {
    ::setenv("XDG_CACHE_HOME", file("cache").c_str(), 1);
    options.profiles.clear();
    here = profile();
    here.batches.clear();
    here.links.clear();
    machine.look = [this](const std::string&) { return Result<JobProfile>(here); };
    machine.measure = [this](const job::Reading&, const ProfileOptions& asked, Streams) {
      measured.push_back(asked);
      return ending == ExitCode::kDone ? Profiling(measurement(asked)) : Profiling(ending);
    };
    machine.count = [this](const std::string&) {
      ++counted;
      return count;
    };
  }
  ~Kept() { ::unsetenv("XDG_CACHE_HOME"); }

  JobProfile measurement(const ProfileOptions& asked) const {
    JobProfile made = profile();
    made.machine = here.machine;
    std::erase_if(made.batches, [&asked](const BatchProfile& batch) {
      return std::ranges::count(asked.batch_sizes, kParts * batch.samples) == 0 ||
             std::ranges::count(asked.threads, batch.threads) == 0;
    });
    if (!asked.measures_exchanges) made.links.clear();
    return made;
  }

  /// What is kept.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all;
    std::error_code none;
    for (const auto& entry :
         std::filesystem::directory_iterator(file("cache/sumac/profiles"), none))
      all.push_back(entry.path());
    return all;
  }

  /// With what differs from one test to the next left out.
  std::string said(const Planned& planned) const {
    std::string text = planned.err;
    for (const std::string& part : {file("").string(), fileName()}) {
      for (auto at = text.find(part); !part.empty() && at != text.npos; at = text.find(part))
        text.replace(at, part.size(), part == fileName() ? "KEPT" : "");
    }
    return text;
  }

  std::string fileName() const {
    const auto all = files();
    return all.empty() ? std::string() : all.front().filename().string();
  }

  JobProfile here;
  ExitCode ending = ExitCode::kDone;
  std::vector<ProfileOptions> measured;
  Result<std::int64_t> count = std::int64_t{6400};
  int counted = 0;
};

std::string with(std::string_view part, std::string_view other) {
  std::string job(kPlannedJob);
  return job.replace(job.find(part), part.size(), other);
}

std::string onData(const std::string& folder) {
  return with("{name: fashion-mnist-mini}", "{format: idx, path: " + folder + "}");
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(kept_profile, Kept)

BOOST_AUTO_TEST_CASE(is_measured_once_and_used_again) {
  test::Transcript told;
  const Planned first = call();
  BOOST_TEST((first.code == ExitCode::kDone), first.err);
  told.add("nothing is kept", said(first));
  BOOST_TEST_REQUIRE(measured.size() == 1U);
  BOOST_TEST((measured[0].batch_sizes == std::vector<std::int64_t>{16, 32}));
  BOOST_TEST((measured[0].threads == std::vector{1, 2}));
  BOOST_TEST(measured[0].measures_exchanges);
  BOOST_TEST(files().size() == 1U);

  const Planned again = call();
  told.add("it is kept", said(again));
  BOOST_TEST(measured.size() == 1U);
  BOOST_TEST(again.out == first.out);

  options.measures = true;
  BOOST_TEST((call().code == ExitCode::kDone));
  BOOST_TEST(measured.size() == 2U);
  BOOST_TEST(files().size() == 1U);
  test::checkGolden("cli/plan/kept.txt", told.text());
}

BOOST_AUTO_TEST_CASE(has_what_a_plan_lacks_added_and_nothing_measured_again) {
  call();
  options.most_workers = 64;
  BOOST_TEST((call().code == ExitCode::kDone));
  BOOST_TEST_REQUIRE(measured.size() == 2U);
  BOOST_TEST((measured[1].batch_sizes == std::vector<std::int64_t>{2, 8}));
  BOOST_TEST(!measured[1].measures_exchanges);
  // Other mini-batches have larger parts.
  options.noise_scale = 500;
  BOOST_TEST((call().code == ExitCode::kDone));
  BOOST_TEST((measured.at(2).batch_sizes == std::vector<std::int64_t>{128, 512}));
  options.noise_scale.reset();
  call();
  options.most_workers = 8;
  call(with("batchSize: 64", "batchSize: 60"));  // between sizes that were measured
  BOOST_TEST(measured.size() == 3U);
  BOOST_TEST(files().size() == 1U);
}

BOOST_AUTO_TEST_CASE(is_of_one_network_optimizer_machine_and_version) {
  const JobProfile before = here;
  const std::pair<const char*, void (*)(JobProfile&)> changes[] = {
      {"machine", [](JobProfile& p) { p.machine.host = "other"; }},
      {"kernels", [](JobProfile& p) { p.machine.kernels = "avx2"; }},
      {"limit", [](JobProfile& p) { p.machine.quota = 1.5; }},
      {"version", [](JobProfile& p) { p.version = "0.0.1"; }},
      {"network", [](JobProfile& p) { p.subject.sha256[0] ^= 1; }},
      {"optimizer", [](JobProfile& p) { p.subject.optimizer = "adam"; }}};
  call();
  std::size_t times = 1;
  for (const auto& [name, change] : changes) {
    here = before;
    change(here);
    call();
    BOOST_TEST(measured.size() == ++times, name);
    BOOST_TEST(files().size() == times, name);
  }
  here = before;
  call();
  here.subject.parts = 2;  // V is no matter: batches say their parts
  call();
  BOOST_TEST(measured.size() == times);
}

BOOST_AUTO_TEST_CASE(that_cannot_be_read_is_measured_again) {
  call();
  BOOST_TEST_REQUIRE(files().size() == 1U);
  for (const std::string& content : {std::string("{}"), std::string(), toJson(here)}) {
    BOOST_TEST_REQUIRE(replaceFile(files().front(), asBytes(content)).has_value());
    measured.clear();
    BOOST_TEST((call().code == ExitCode::kDone));
    BOOST_TEST(measured.size() == 1U);
  }
}

BOOST_AUTO_TEST_CASE(is_not_measured_for_an_answer_that_a_program_reads_unless_asked_for) {
  for (const PlanFormat format : {PlanFormat::kJson, PlanFormat::kYaml}) {
    options.format = format;
    BOOST_TEST((call().code == ExitCode::kUsage));
  }
  options.format = PlanFormat::kShort;
  options.is_applied = true;
  const Planned applied = call();
  BOOST_TEST((applied.code == ExitCode::kUsage));
  BOOST_TEST(applied.out == "");
  BOOST_TEST(has(applied.err, "--measure"), applied.err);
  BOOST_TEST(measured.empty());

  options.measures = true;
  BOOST_TEST((call().code == ExitCode::kDone));
  options.measures = false;
  BOOST_TEST((call().code == ExitCode::kDone));
  BOOST_TEST(measured.size() == 1U);
}

BOOST_AUTO_TEST_CASE(is_not_kept_where_measuring_did_not_end) {
  for (const ExitCode code : {ExitCode::kInterrupted, ExitCode::kFailed}) {
    ending = code;
    const Planned ended = call();
    BOOST_TEST((ended.code == code));
    BOOST_TEST(ended.out == "");
  }
  BOOST_TEST(files().empty());
}

BOOST_AUTO_TEST_CASE(is_not_measured_where_it_cannot_be_kept) {
  write("file", "");
  ::setenv("XDG_CACHE_HOME", file("file").c_str(), 1);
  BOOST_TEST((call().code == ExitCode::kUsage));
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "", 1);
  const Planned nowhere = call();
  ::setenv("HOME", home.c_str(), 1);
  BOOST_TEST((nowhere.code == ExitCode::kUsage));
  BOOST_TEST(has(nowhere.err, "XDG_CACHE_HOME"), nowhere.err);
  BOOST_TEST(measured.empty());
}

BOOST_AUTO_TEST_CASE(is_not_measured_for_a_question_that_has_no_answer) {
  options.goal = planner::PlanGoal::kCost;
  BOOST_TEST((call().code == ExitCode::kBadConfiguration));
  options.goal = planner::PlanGoal::kTime;
  BOOST_TEST((call(onData(file("none").string())).code == ExitCode::kBadConfiguration));
  BOOST_TEST(measured.empty());
}

BOOST_AUTO_TEST_CASE(given_profiles_are_taken_as_they_are) {
  options.profiles = {file("profile.json")};
  const Planned planned = call();
  BOOST_TEST((planned.code == ExitCode::kDone));
  BOOST_TEST(planned.err == "");
  BOOST_TEST(measured.empty());
  BOOST_TEST(files().empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(counted_samples, Kept)

BOOST_AUTO_TEST_CASE(are_those_of_data_that_are_here) {
  options.profiles = {file("profile.json")};
  BOOST_TEST((call(onData(file("none").string())).code == ExitCode::kBadConfiguration));
  BOOST_TEST(counted == 0);
  const std::string job = onData(file("").string());
  const Planned planned = call(job);
  BOOST_TEST((planned.code == ExitCode::kDone), planned.err);
  BOOST_TEST(counted == 1);
  BOOST_TEST(has(planned.out, "for 1000 steps"), planned.out);  // ten epochs of 6,400 / 64

  options.samples = 640;
  BOOST_TEST(has(call(job).out, "for 100 steps"));
  BOOST_TEST(counted == 1);
  options.samples.reset();
  call();  // the document says how many there are
  BOOST_TEST(counted == 1);
}

BOOST_AUTO_TEST_CASE(are_not_asked_for_where_the_steps_are_known) {
  options.profiles = {file("profile.json")};
  std::string job = onData(file("").string());
  job.replace(job.find("epochs: 10"), 10, "steps: 10");
  BOOST_TEST((call(job).code == ExitCode::kDone));
  BOOST_TEST(counted == 0);
  options.noise_scale = 500;  // then no mini-batch may be larger
  BOOST_TEST((call(job).code == ExitCode::kDone));
  BOOST_TEST(counted == 1);
}

BOOST_AUTO_TEST_CASE(that_cannot_be_counted_are_told_with_the_reason) {
  options.profiles = {file("profile.json")};
  count = Error{ErrorCode::kInvalid, "there is no train-images-idx3-ubyte"};
  const Planned planned = call(onData(file("").string()));
  BOOST_TEST((planned.code == ExitCode::kBadConfiguration));
  BOOST_TEST(has(planned.err, "train-images-idx3-ubyte"), planned.err);
  BOOST_TEST(has(planned.err, "--samples"), planned.err);
  count = std::int64_t{5};
  BOOST_TEST((call(onData(file("").string())).code == ExitCode::kBadConfiguration));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::kept_profile_test
