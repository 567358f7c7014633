#include "job/progress/job_event.h"

#include <string>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "job/progress/job_end.h"

namespace sumac::job_event_test {
namespace {

const std::string kUnusable[] = {
    "",
    "x",
    "[]",
    "{}",
    R"({"event":1,"step":1})",
    R"({"event":"other","step":1})",
    R"({"event":"checkpoint"})",
    R"({"event":"dispensable"})",
    R"({"event":"dispensable","role":"operator","index":1})",
    R"({"event":"dispensable","role":"worker"})",
    R"({"event":"dispensable","role":"worker","index":1000000})",
    R"({"event":"lost","member":"worker 1","why":"it left"})",
    R"({"event":"change","step":1})",
    R"({"event":"change","term":1,"generation":2,"workers":1,"servers":1})",
    R"({"event":"change","step":1,"generation":2,"workers":1,"servers":1})",
    R"({"event":"change","step":1,"term":1,"workers":1,"servers":1})",
    R"({"event":"change","step":1,"term":1,"generation":2,"servers":1})",
    R"({"event":"change","step":1,"term":1,"generation":2,"workers":1})",
    R"({"event":"change","step":1,"term":-1,"generation":2,"workers":1,"servers":1})",
    R"({"event":"change","step":1,"term":1,"generation":2147483648,"workers":1,"servers":1})",
    R"({"event":"change","step":1,"term":1,"generation":2,"workers":"1","servers":1})",
    R"({"event":"change","step":1,"term":1,"generation":2,"workers":1,"servers":1,"redone":-1})",
    R"({"event":"change","step":1,"term":1,"generation":2,"workers":1,"servers":1,"bytes":1.5})",
    R"({"event":"roster","members":["worker 1"]})",
    R"({"event":"roster","startStep":-1})",
    R"({"event":"roster","members":{"worker":[-1]}})",
    R"({"event":"roster","members":{"worker":["1"]}})",
    R"({"event":"roster","members":{"server":[1000000]}})",
    R"({"event":"checkpoint","step":1.5})",
    R"({"event":"evaluation","step":1,"epoch":-1})",
    R"({"event":"progress"})",
    R"({"event":"progress","totalSteps":2,"epoch":1})",
    R"({"event":"progress","step":1,"epoch":1})",
    R"({"event":"progress","step":1,"totalSteps":2})",
    R"({"event":"progress","step":"1","totalSteps":2,"epoch":1})",
    R"({"event":"progress","step":-1,"totalSteps":2,"epoch":1})",
    R"({"event":"progress","step":3,"totalSteps":2,"epoch":1})",
    R"({"event":"progress","step":1e300,"totalSteps":2,"epoch":1})",
    std::string(65'537, ' '),
};

}  // namespace

BOOST_AUTO_TEST_SUITE(job_event)

BOOST_AUTO_TEST_CASE(reads_each_kind_of_line) {
  const std::string fields = R"(,"step":3,"totalSteps":9,"epoch":1,"loss":0.5})";

  const auto progress = jobEventFromLine(R"({"event":"progress")" + fields);
  const auto interim = jobEventFromLine(R"({"event":"interim")" + fields);
  const auto checkpoint = jobEventFromLine(toLine(CheckpointWritten{4}));
  const auto skipped = jobEventFromLine(toLine(CheckpointSkipped{6, "no room in /out"}));
  const auto homeless = jobEventFromLine(toLine(CheckpointSkipped{7, "no /out", true}));
  const auto result = jobEventFromLine(R"({"event":"result","state":"Succeeded"})");
  const auto end = jobEventFromLine(toLine(JobEnd{"lenet5", ExitCode::kStopped, 5, "asked to"}));

  BOOST_REQUIRE(progress && interim && checkpoint && skipped && homeless && result && end);
  BOOST_TEST(std::get<Progress>(*progress).total_steps == 9);
  BOOST_TEST((std::get<Interim>(*interim).progress == std::get<Progress>(*progress)));
  BOOST_TEST(std::get<CheckpointWritten>(*checkpoint).step == 4);
  BOOST_TEST(std::get<CheckpointSkipped>(*skipped).step == 6);
  BOOST_TEST(std::get<CheckpointSkipped>(*skipped).message == "no room in /out");
  BOOST_TEST(!std::get<CheckpointSkipped>(*skipped).has_no_volume);
  BOOST_TEST(std::get<CheckpointSkipped>(*homeless).has_no_volume);
  BOOST_TEST(stepOf(*homeless) == 7);
  BOOST_TEST(stepOf(*interim) == 3);
  BOOST_TEST(std::holds_alternative<Finished>(*result));
  BOOST_TEST(std::get<Ended>(*end).step == 5);
}

BOOST_AUTO_TEST_CASE(reads_what_it_says_of_members) {
  const auto unnamed = jobEventFromLine(R"({"event":"roster","generation":1})");
  const auto roster = jobEventFromLine(
      R"({"event":"roster","startStep":5,"members":{"server":[0],"worker":[0,2]}})");
  const auto change = jobEventFromLine(
      R"({"event":"change","term":1,"generation":2,"step":9,"workers":3,"servers":1,"cause":"worker 2 joined","redone":1,"bytes":4,"pauseSeconds":0.5})");
  const auto dispensable = jobEventFromLine(toLine(MemberDispensable{{Role::kServer, 2}}));

  BOOST_REQUIRE(unnamed && roster && change && dispensable);
  BOOST_TEST(std::get<RosterBegan>(*unnamed).members.empty());
  BOOST_TEST(std::get<RosterBegan>(*roster).start_step == 5);
  const std::set<Slot> members{{Role::kServer, 0}, {Role::kWorker, 0}, {Role::kWorker, 2}};
  BOOST_TEST(std::get<RosterBegan>(*roster).members == members, boost::test_tools::per_element());
  const auto& changed = std::get<MembersChanged>(*change);
  BOOST_TEST(changed.step == 9);
  BOOST_TEST(changed.workers == 3);
  BOOST_TEST(changed.redone == 1);
  BOOST_TEST(changed.bytes == 4);
  BOOST_TEST(changed.pause_seconds == 0.5);
  BOOST_TEST(changed.cause == "worker 2 joined");
  BOOST_TEST((std::get<MemberDispensable>(*dispensable).member == Slot{Role::kServer, 2}));
}

BOOST_AUTO_TEST_CASE(reads_what_a_change_of_members_cost) {
  const MembersChanged change{.term = 2,
                              .generation = 3,
                              .step = 40,
                              .workers = 5,
                              .servers = 1,
                              .cause = "worker 2 joined",
                              .redone = 1,
                              .bytes = 8'000'000'000,
                              .pause_seconds = 0.25};
  const std::string line = toLine(change);
  BOOST_TEST(line ==
             R"({"event":"change","term":2,"generation":3,"step":40,"workers":5,"servers":1,)"
             R"("cause":"worker 2 joined","redone":1,"bytes":8000000000,"pauseSeconds":0.25})");
  const auto read = std::get<MembersChanged>(*jobEventFromLine(line));
  BOOST_TEST(toLine(read) == line);
  BOOST_TEST(read.bytes == change.bytes);
  BOOST_TEST(read.pause_seconds == 0.25);
}

BOOST_AUTO_TEST_CASE(a_change_says_no_more_than_is_known_and_no_longer_cause_than_1_kib) {
  MembersChanged change;
  change.cause = std::string(2000, 'x');
  BOOST_TEST(std::get<MembersChanged>(*jobEventFromLine(toLine(change))).cause.size() == 1024U);
  const auto least = jobEventFromLine(
      R"({"event":"change","step":1,"term":1,"generation":2,"workers":1,"servers":0,)"
      R"("pauseSeconds":-1})");
  BOOST_TEST_REQUIRE(least.has_value());
  BOOST_TEST(std::get<MembersChanged>(*least).cause.empty());
  BOOST_TEST(std::get<MembersChanged>(*least).pause_seconds == 0.0);
}

BOOST_AUTO_TEST_CASE(reads_the_scores_that_an_evaluation_has) {
  Evaluated images;
  images.step = 8;
  images.epoch = 2;
  images.test_accuracy = 0.75;
  images.test_loss = 1;
  Evaluated text;
  text.valid_perplexity = 223.5;
  text.test_perplexity = 219.1;

  const auto of_images = std::get<Evaluated>(*jobEventFromLine(toLine(images)));
  const auto of_text = std::get<Evaluated>(*jobEventFromLine(toLine(text)));

  BOOST_TEST(toLine(images) ==
             R"({"event":"evaluation","epoch":2,"step":8,"testAccuracy":0.75,"testLoss":1.0})");
  BOOST_TEST(of_images.epoch == 2);
  BOOST_TEST(of_images.test_accuracy.value() == 0.75);
  BOOST_TEST(!of_images.valid_perplexity.has_value());
  BOOST_TEST(of_text.valid_perplexity.value() == 223.5);
  BOOST_TEST(of_text.test_perplexity.value() == 219.1);
}

BOOST_DATA_TEST_CASE(refuses_everything_else, kUnusable) {
  BOOST_TEST(!jobEventFromLine(sample).has_value(), sample.substr(0, 60));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job_event_test
