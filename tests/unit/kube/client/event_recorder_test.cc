#include "kube/client/event_recorder.h"

#include "kube/client/event_ledger.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/kube/client/server_fixture.h"

namespace sumac::kube::event_recorder_test {
namespace {

using Lane = EventLedger::Lane;
using fake::Misbehaviour;
using fake::Seen;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

class FixedWallClock final : public WallClock {
 public:
  WallTime now() const override { return parseRfc3339("2026-01-31T12:00:00Z").value(); }
};

const EventTarget kJob{"sumac.dev/v1alpha1", "TrainingJob", {"default", "mnist"}, "uid-1"};
const EventNote kNote{true, "PodFailed", "pod mnist-worker-0 failed"};

const EventTarget kSlowJob{"sumac.dev/v1alpha1", "TrainingJob", {"slow", "mnist"}, "uid-2"};

/// The first request takes as long as a slow namespace's, by the clock of the test.
class SlowTransport final : public Transport {
 public:
  SlowTransport(Transport& below, ManualClock& clock) : below_(below), clock_(clock) {}

  Response send(const Request& request, Duration timeout, const std::stop_token& stop) override {
    if (std::exchange(is_first_, false)) clock_.advance(EventLedger::kSlow);
    return below_.send(request, timeout, stop);
  }
  Response stream(const Request& request, Duration idle, const std::stop_token& stop,
                  const std::function<bool(std::string_view)>& on_line, bool raw) override {
    return below_.stream(request, idle, stop, on_line, raw);
  }

 private:
  Transport& below_;
  ManualClock& clock_;
  bool is_first_ = true;
};

struct RecorderFixture : ServerFixture {
  RecorderFixture() : transport(connect()) {
    options.instance = "operator-0";
    options.per_second = 1000;
    options.drain = kLong;
  }

  void start() { startOn(*transport); }
  void startOn(Transport& below) {
    recorder = startEventRecorder(below, options, clock, wall_clock, Log::discarding());
  }
  /// Ends the recorder, which sends what waits.
  void finish() { recorder.reset(); }
  std::vector<json> events() const { return server.store().all("events"); }

  std::unique_ptr<Transport> transport;
  EventOptions options;
  ManualClock clock;
  FixedWallClock wall_clock;
  std::unique_ptr<EventRecorder> recorder;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(event_recorder, *boost::unit_test::timeout(60))

BOOST_FIXTURE_TEST_CASE(sends_an_event_that_names_its_object, RecorderFixture) {
  start();

  recorder->emit(kJob, kNote);
  finish();

  BOOST_REQUIRE(events().size() == 1U);
  json event = events().at(0);
  const std::string name = event["metadata"]["name"].get<std::string>();
  BOOST_TEST(name.find("mnist.") == 0U);
  BOOST_TEST(event["metadata"]["namespace"] == "default");
  BOOST_TEST(event["involvedObject"] == (json{{"apiVersion", "sumac.dev/v1alpha1"},
                                              {"kind", "TrainingJob"},
                                              {"namespace", "default"},
                                              {"name", "mnist"},
                                              {"uid", "uid-1"}}));
  BOOST_TEST(event["type"] == "Warning");
  BOOST_TEST(event["reason"] == "PodFailed");
  BOOST_TEST(event["message"] == "pod mnist-worker-0 failed");
  BOOST_TEST(event["count"] == 1);
  BOOST_TEST(event["firstTimestamp"] == "2026-01-31T12:00:00Z");
  BOOST_TEST(event["source"]["component"] == "sumac-operator");
  BOOST_TEST(event["reportingInstance"] == "operator-0");
}

BOOST_FIXTURE_TEST_CASE(the_same_note_again_raises_the_count, RecorderFixture) {
  start();
  recorder->emit(kJob, kNote);
  BOOST_REQUIRE(server.waitFor(1, [](const Seen& seen) { return seen.method == "POST"; }));
  while (recorder->counts().sent == 0)
    std::this_thread::yield();

  for (int i = 0; i < 5; ++i)
    recorder->emit(kJob, kNote);
  finish();

  BOOST_REQUIRE(events().size() == 1U);
  BOOST_TEST(events().at(0)["count"] == 6);
  BOOST_TEST(server.count([](const Seen& seen) { return seen.method == "POST"; }) == 1U);
}

BOOST_FIXTURE_TEST_CASE(other_notes_are_other_events, RecorderFixture) {
  start();
  EventNote other = kNote;
  other.message = "pod mnist-worker-1 failed";

  recorder->emit(kJob, kNote);
  recorder->emit(kJob, other);
  finish();

  BOOST_TEST(events().size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(makes_a_new_event_when_the_server_has_forgotten_it, RecorderFixture) {
  start();
  recorder->emit(kJob, kNote);
  while (recorder->counts().sent == 0)
    std::this_thread::yield();
  const std::string name = events().at(0)["metadata"]["name"].get<std::string>();
  server.store().finish({"v1", "events", "default", name, ""});

  recorder->emit(kJob, kNote);
  finish();

  BOOST_REQUIRE(events().size() == 1U);
  BOOST_TEST(events().at(0)["count"] == 1);
}

BOOST_FIXTURE_TEST_CASE(never_waits_for_the_server, RecorderFixture) {
  server.misbehave({.times = -1, .delay = std::chrono::hours(1)});
  options.queue = 3;
  options.drain = milliseconds(1);
  start();
  recorder->emit(kJob, {false, "First", ""});
  BOOST_REQUIRE(server.waitFor(1, [](const Seen&) { return true; }));

  for (int i = 0; i < 10; ++i)
    recorder->emit(kJob, {false, "Reason", std::to_string(i)});

  BOOST_TEST(recorder->counts().dropped == 7U);
  finish();  // long before the server answers, or the suite's timeout ends the test
}

BOOST_FIXTURE_TEST_CASE(a_namespace_that_was_slow_delays_no_other, RecorderFixture) {
  SlowTransport slow(*transport, clock);
  options.drain = milliseconds(1);
  startOn(slow);
  recorder->emit(kSlowJob, kNote);
  while (recorder->counts().sent < 1)
    std::this_thread::yield();
  server.misbehave({.target_contains = "/slow/", .times = -1, .delay = std::chrono::hours(1)});
  for (int i = 0; i < 10; ++i)
    recorder->emit(kSlowJob, {false, "Reason", std::to_string(i)});
  BOOST_REQUIRE(server.waitFor(2, [](const Seen&) { return true; }));

  recorder->emit(kJob, kNote);

  while (recorder->counts().sent < 2)  // or the suite's timeout ends the test
    std::this_thread::yield();
}

BOOST_FIXTURE_TEST_CASE(keeps_to_its_own_pace, RecorderFixture) {
  options.burst = 2;
  start();
  for (int i = 0; i < 5; ++i)
    recorder->emit(kJob, {false, "Reason", std::to_string(i)});
  while (recorder->counts().sent < 2)
    std::this_thread::yield();
  BOOST_TEST(server.seen().size() == 2U);

  clock.advance(milliseconds(1));
  while (recorder->counts().sent < 3)
    std::this_thread::yield();
  BOOST_TEST(server.seen().size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(counts_what_the_server_refuses, RecorderFixture) {
  server.misbehave({.answer = fake::failure(403, "Forbidden", "namespace is being terminated")});
  start();

  recorder->emit(kJob, kNote);
  while (recorder->counts().failed == 0)
    std::this_thread::yield();

  BOOST_TEST(recorder->counts().sent == 0U);
}

BOOST_AUTO_TEST_CASE(cuts_messages_at_the_limit) {
  BOOST_TEST(cutText(std::string(1024, 'x'), 1024) == std::string(1024, 'x'));
  BOOST_TEST(cutText(std::string(1025, 'x'), 1024) == std::string(1021, 'x') + "...");
}

BOOST_AUTO_TEST_CASE(cuts_no_character_in_half) {
  const std::string text = "ab\xc3\xa4\xc3\xa4\xc3\xa4";

  BOOST_TEST(cutText(text, 7) == "ab\xc3\xa4...");
  BOOST_TEST(cutText(text, 6) == "ab...");
}

BOOST_AUTO_TEST_CASE(remembers_a_bounded_number_of_events) {
  EventLedger ledger("c", "i", 10);
  const WallTime start = FixedWallClock().now();
  for (int i = 0; i <= static_cast<int>(EventLedger::kMaxKnown); ++i) {
    ledger.add(kJob, {false, "Reason", std::to_string(i)}, start + seconds(i));
    const auto event = ledger.take(Lane::kQuick);
    ledger.sent(*event, ledger.sendingOf(*event));
  }

  ledger.add(kJob, {false, "Reason", "0"}, start);
  ledger.add(kJob, {false, "Reason", "1"}, start);

  BOOST_TEST(ledger.sendingOf(*ledger.take(Lane::kQuick)).name == "");  // the oldest is forgotten
  BOOST_TEST(ledger.sendingOf(*ledger.take(Lane::kQuick)).name != "");
}

BOOST_AUTO_TEST_CASE(merges_notes_that_wait) {
  EventLedger ledger("c", "i", 1);
  const WallTime now = FixedWallClock().now();

  BOOST_TEST((ledger.add(kJob, kNote, now) == EventLedger::Added::kQueued));
  BOOST_TEST((ledger.add(kJob, kNote, now + seconds(3)) == EventLedger::Added::kMerged));
  BOOST_TEST((ledger.add(kJob, {false, "Other", ""}, now) == EventLedger::Added::kDropped));

  const auto sending = ledger.sendingOf(*ledger.take(Lane::kQuick));
  BOOST_TEST(sending.body["count"] == 2);
  BOOST_TEST(sending.body["lastTimestamp"] == "2026-01-31T12:00:03Z");
}

BOOST_AUTO_TEST_CASE(what_waits_changes_lanes_with_its_namespace) {
  EventLedger ledger("c", "i", 3);
  const WallTime now = FixedWallClock().now();
  const auto add = [&](const EventTarget& target, const char* message) {
    return ledger.add(target, {false, "Reason", message}, now);
  };
  const auto next = [&](Lane lane) {
    const auto event = ledger.take(lane);
    return event ? event->target.key.name_space + event->note.message : "";
  };
  add(kSlowJob, "0");
  const PendingEvent first = *ledger.take(Lane::kQuick);
  add(kSlowJob, "1");
  add(kJob, "1");
  add(kSlowJob, "2");

  ledger.took(first, EventLedger::kSlow);
  BOOST_TEST((add(kSlowJob, "3") == EventLedger::Added::kQueued));
  BOOST_TEST((add(kSlowJob, "3") == EventLedger::Added::kMerged));
  BOOST_TEST((add(kSlowJob, "4") == EventLedger::Added::kDropped));
  BOOST_TEST((add(kJob, "2") == EventLedger::Added::kQueued));  // there is room for others
  BOOST_TEST(ledger.waiting() == 5U);
  BOOST_TEST(next(Lane::kQuick) == "default1");
  BOOST_TEST(next(Lane::kSlow) == "slow1");

  ledger.took(first, EventLedger::kSlow - milliseconds(1));
  BOOST_TEST(ledger.isEmpty(Lane::kSlow));
  BOOST_TEST(next(Lane::kQuick) == "default2");
  BOOST_TEST(next(Lane::kQuick) == "slow2");
  BOOST_TEST(next(Lane::kQuick) == "slow3");
  BOOST_TEST(ledger.waiting() == 0U);
}

BOOST_AUTO_TEST_CASE(events_of_cluster_wide_objects_live_in_default) {
  EventLedger ledger("c", "i", 1);
  ledger.add({"v1", "Node", {"", "node-1"}, "uid"}, kNote, FixedWallClock().now());

  const auto sending = ledger.sendingOf(*ledger.take(Lane::kQuick));

  BOOST_TEST(sending.name_space == "default");
  BOOST_TEST(!sending.body["involvedObject"].contains("namespace"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::event_recorder_test
