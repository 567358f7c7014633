#include "server/service/resident_server.h"

#include <array>
#include <string>

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "common/base/file.h"
#include "common/membership/join_request.h"
#include "tests/support/decentralized_job.h"
#include "tests/support/recording_link.h"
#include "tests/support/temporary_folder.h"

namespace sumac::server::resident_server_test {
namespace {

using wire::Header;
using wire::MessageType;

constexpr std::uint64_t kJob = 7;

Member worker(int index) {
  return {{Role::kWorker, index}, 100 + static_cast<Incarnation>(index)};
}

/// The resident of worker `index`, of two, whose link is a recording.
struct Place {
  explicit Place(int index) {
    BOOST_REQUIRE(createFile(folder / "job.yaml", asBytes(decentralizedJob(/*workers=*/2))));
    BOOST_REQUIRE(::pipe(progress.data()) == 0);
    options.job_file = (folder / "job.yaml").string();
    options.index = index;
    options.attempt = "0";
    options.job_uid = "uid";
    options.progress_fd = progress[1];
    resident = ResidentServer::make(options).value();
    routes["/metrics"] = [] { return HttpAnswer{.body = "worker 1\n"}; };
    resident->addTo(routes);
    resident->open({worker(index), kJob}, link);
    resident->start(now);
  }
  ~Place() {
    for (const int fd : progress)
      ::close(fd);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  void hear(int from, MessageType type, std::string_view text = {}, std::uint64_t value = 0) const {
    Header header;
    header.type = type;
    header.job = kJob;
    header.sender = worker(from);
    header.value = value;
    resident->onMessage({header.sender.slot, link::Lane::kControl}, header,
                        link::makePayload(asBytes(text)));
  }
  void join(int from) const {
    JoinRequest request;
    request.plan_text = setup().plan_text;
    request.kernels = {"baseline"};
    request.endpoint = "tcp://127.0.0.1:1";
    hear(from, MessageType::kJoin, toJson(request), planHash(request.plan_text));
  }
  ServerSetup setup() const { return readSetup(options.job_file).value(); }
  /// What was written for the program that started the worker.
  std::string lines() const {
    std::array<char, 4096> text{};
    const auto size = ::read(progress[0], text.data(), text.size());
    return size < 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
  }

  TemporaryFolder folder;
  std::array<int, 2> progress{};
  ResidentOptions options;
  RecordingLink link;
  HttpServer::Routes routes;
  std::unique_ptr<coordination::Resident> resident;
  TimePoint now{std::chrono::hours(1)};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(resident_server)

BOOST_AUTO_TEST_CASE(a_document_that_cannot_be_used_is_refused) {
  ResidentOptions options;
  options.job_file = "/nowhere/job.yaml";
  const auto made = ResidentServer::make(options);
  BOOST_REQUIRE(!made);
  BOOST_TEST(made.error().message.find("/nowhere/job.yaml") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(worker_0s_coordinates_and_is_needed_until_the_job_is_over) {
  Place place(/*index=*/0);
  place.join(0);
  place.join(1);
  BOOST_TEST(place.link.count(MessageType::kRoster) == 2U);
  BOOST_TEST(place.lines().find("\"event\":\"roster\"") != std::string::npos);
  BOOST_TEST(!place.resident->isOver());

  place.hear(0, MessageType::kFinished, R"({"steps":5})");
  place.hear(1, MessageType::kFinished);
  BOOST_TEST(place.link.count(MessageType::kComplete) == 2U);
  BOOST_TEST(!place.resident->isOver());
  place.hear(0, MessageType::kGoodbye);
  place.hear(1, MessageType::kGoodbye);

  BOOST_TEST(place.resident->isOver());
  BOOST_TEST(place.lines() == "{\"steps\":5}\n");
}

BOOST_AUTO_TEST_CASE(a_job_that_fails_has_no_result_line) {
  Place place(/*index=*/0);
  place.join(0);
  place.join(1);
  place.lines();

  place.hear(1, MessageType::kAbort, "worker 1 failed");
  place.hear(0, MessageType::kGoodbye);

  BOOST_TEST(place.resident->isOver());
  ::close(std::exchange(place.progress[1], -1));
  BOOST_TEST(place.lines().empty());
}

BOOST_AUTO_TEST_CASE(another_workers_only_sums_and_holds_up_no_end) {
  Place place(/*index=*/1);
  place.join(0);
  BOOST_TEST(place.link.sent.empty());
  BOOST_TEST(place.resident->isOver());
  BOOST_TEST(!place.routes.contains("/progress"));
}

BOOST_AUTO_TEST_CASE(its_ticks_are_those_of_the_coordinator) {
  Place place(/*index=*/0);
  place.join(0);
  place.link.sent.clear();
  place.resident->onTick(place.now);
  BOOST_TEST(place.link.count(MessageType::kHeartbeat) == 1U);
}

BOOST_AUTO_TEST_CASE(its_metrics_follow_the_workers_and_progress_is_the_jobs) {
  Place place(/*index=*/0);
  BOOST_TEST(place.routes.at("/progress")().status == 503);
  place.join(0);
  place.resident->onTick(place.now);
  const std::string text = place.routes.at("/metrics")().body;
  BOOST_TEST(text.starts_with("worker 1\n"));
  BOOST_TEST(text.find("sumac_server_members 1") != std::string::npos, text);

  place.join(1);
  place.hear(0, MessageType::kProgress, R"({"step":3,"totalSteps":5,"epoch":1,"loss":0.5})");
  BOOST_TEST(place.routes.at("/progress")().status == 200);
  BOOST_TEST(place.routes.at("/progress")().body.find("\"uid\"") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::server::resident_server_test
