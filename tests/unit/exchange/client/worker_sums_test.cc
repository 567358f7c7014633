#include "exchange/client/worker_sums.h"

#include <array>
#include <memory>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "exchange/membership/join_request.h"
#include "job/document/job_file.h"
#include "tests/support/decentralized_job.h"
#include "tests/support/recording_link.h"
#include "tests/support/temporary_folder.h"

namespace sumac::worker::worker_sums_test {
namespace {

using wire::Header;
using wire::MessageType;

constexpr std::uint64_t kJob = 7;

Member memberOf(int index) {
  return {{Role::kWorker, index}, 100 + static_cast<Incarnation>(index)};
}

/// Worker `index` of two, whose link is a recording and whose trainer does nothing.
struct Place : Trainer {
  explicit Place(int index) {
    BOOST_REQUIRE(createFile(folder / "job.yaml", asBytes(decentralizedJob(/*workers=*/2))));
    BOOST_REQUIRE(::pipe2(progress.data(), O_NONBLOCK) == 0);
    const auto job = job::readJobFile((folder / "job.yaml").string()).value();
    setup = setupOf(job, /*is_elastic=*/false);
    plan = setup.plan_of(/*size=*/0).value().exchange;
    sums = std::make_unique<WorkerSums>(
        setup, Kernels::loadBest({}).value(),
        WorkerSumsOptions{
            .index = index, .attempt = "0", .job_uid = "uid", .progress_fd = progress[1]});
    routes["/metrics"] = [] { return HttpAnswer{.body = "worker 1\n"}; };
    sums->addTo(routes);
    Roles roles;
    roles.training = {.plan = &plan, .trainer = this};
    sums->addTo(roles);
    const MemberIdentity identity{
        memberOf(index), kJob, {Role::kWorker, 0}, "tcp://a:1", request()};
    member = std::make_unique<JobMember>(identity, roles, link);
    member->start(now);
  }
  ~Place() override {
    for (const int fd : progress)
      ::close(fd);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  void hear(int from, MessageType type, std::string_view text = {}, std::uint64_t value = 0) const {
    Header header;
    header.type = type;
    header.job = kJob;
    header.sender = memberOf(from);
    header.term = header.generation = 1;
    header.value = value;
    member->onMessage({header.sender.slot, link::Lane::kControl}, header,
                      link::makePayload(asBytes(text)));
  }
  JoinRequest request() const {
    JoinRequest request;
    request.plan_text = setup.plan_text;
    request.kernels = {"baseline"};
    request.endpoint = "tcp://127.0.0.1:1";
    return request;
  }
  void join(int from) const {
    hear(from, MessageType::kJoin, toJson(request()), planHash(setup.plan_text));
  }
  void tick() { sums->publish(member->view()); }
  void onStart(const Roster& /*roster*/, TreeNode /*block*/) override {}
  void onPartialSum(Step /*step*/, const RangeRun& /*run*/,
                    std::span<const float> /*sum*/) override {}
  void onSum(Step /*step*/, std::span<const float> /*sum*/) override {}
  void onStop(const StopOrder& /*order*/) override {}
  void onState(StateArrival /*arrival*/) override {}
  void onWeightsAgreed(Step /*step*/) override {}
  void onEnd(ExitCode /*code*/, const std::string& /*reason*/) override {}
  /// What was written for the program that started the worker.
  std::string lines() const {
    std::array<char, 4096> text{};
    const auto size = ::read(progress[0], text.data(), text.size());
    return size < 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
  }

  TemporaryFolder folder;
  std::array<int, 2> progress{};
  JobSetup setup;
  ExchangePlan plan;
  RecordingLink link;
  HttpServer::Routes routes;
  std::unique_ptr<WorkerSums> sums;
  std::unique_ptr<JobMember> member;
  TimePoint now{std::chrono::hours(1)};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(worker_sums)

BOOST_AUTO_TEST_CASE(worker_0s_coordinates_and_writes_the_result_when_the_job_is_over) {
  Place place(/*index=*/0);
  place.join(1);
  BOOST_TEST(place.link.count(MessageType::kRoster) == 1U);
  BOOST_TEST(place.lines().find("\"event\":\"roster\"") != std::string::npos);

  place.member->training().finished(R"({"steps":5})");
  place.member->settle();
  place.hear(1, MessageType::kFinished);
  BOOST_TEST(place.link.count(MessageType::kComplete) == 1U);
  BOOST_TEST(place.member->isNeeded());
  place.hear(1, MessageType::kGoodbye);

  BOOST_TEST(!place.member->isNeeded());
  BOOST_TEST(place.lines() == "{\"steps\":5}\n");
}

BOOST_AUTO_TEST_CASE(a_job_that_fails_has_no_result_line) {
  Place place(/*index=*/0);
  place.join(1);
  place.lines();

  place.hear(1, MessageType::kAbort, "worker 1 failed");

  BOOST_TEST(!place.member->isNeeded());
  ::close(std::exchange(place.progress[1], -1));
  BOOST_TEST(place.lines().empty());
}

BOOST_AUTO_TEST_CASE(another_workers_only_sums) {
  Place place(/*index=*/1);
  place.link.sent.clear();
  place.hear(0, MessageType::kJoin, toJson(place.request()));
  BOOST_TEST(place.link.sent.empty());
  BOOST_TEST(!place.member->isNeeded());
  BOOST_TEST(!place.routes.contains("/progress"));
}

BOOST_AUTO_TEST_CASE(its_metrics_follow_the_workers_and_progress_is_the_jobs) {
  Place place(/*index=*/0);
  BOOST_TEST(place.routes.at("/progress")().status == 503);
  place.tick();
  const std::string text = place.routes.at("/metrics")().body;
  BOOST_TEST(text.starts_with("worker 1\n"));
  BOOST_TEST(text.find("sumac_server_members 1") != std::string::npos, text);

  place.join(1);
  place.member->training().reportProgress(R"({"step":3,"totalSteps":5,"epoch":1,"loss":0.5})");
  place.member->settle();
  BOOST_TEST(place.routes.at("/progress")().status == 200);
  BOOST_TEST(place.routes.at("/progress")().body.find("\"uid\"") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::worker_sums_test
