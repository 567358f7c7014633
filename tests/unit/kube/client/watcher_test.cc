// Watchers against a server that misbehaves: happy path, split and joined chunks, 410 at connect,
// 410 in the stream, BOOKMARK advances the resourceVersion, a relist emits deletes, silent
// half-open watch, 429 with Retry-After on list and watch.
#include "kube/client/watcher.h"

#include <condition_variable>
#include <filesystem>
#include <map>

#include "base/core/file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/kube/client/server_fixture.h"

namespace sumac::kube::watcher_test {
namespace {

using fake::Misbehaviour;
using fake::Seen;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Keeps what it is told, as a cache does.
class MapSink final : public Sink {
 public:
  void replaceBegin() override {
    const std::lock_guard lock(mutex_);
    next_.clear();
    is_replacing_ = true;
  }
  void upsert(const json& object) override {
    const std::lock_guard lock(mutex_);
    (is_replacing_ ? next_ : now_)[object["metadata"]["name"].get<std::string>()] =
        object.value("data", json());
    changed_.notify_all();
  }
  void replaceEnd() override {
    const std::lock_guard lock(mutex_);
    now_ = next_;
    is_replacing_ = false;
    ++replaced_;
    changed_.notify_all();
  }
  void remove(const json& last_state) override {
    const std::lock_guard lock(mutex_);
    now_.erase(last_state["metadata"]["name"].get<std::string>());
    changed_.notify_all();
  }

  void forbid(const std::string& why) override {
    const std::lock_guard lock(mutex_);
    forbidden_ = why;
    changed_.notify_all();
  }

  std::string waitForForbidden() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, seconds(60), [&] { return !forbidden_.empty(); });
    return forbidden_;
  }
  bool waitFor(const std::function<bool(const std::map<std::string, json>&, int)>& holds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(60), [&] { return holds(now_, replaced_); });
  }
  bool waitForNames(const std::vector<std::string>& names) {
    return waitFor([&names](const std::map<std::string, json>& now, int) {
      std::vector<std::string> held;
      for (const auto& [name, data] : now)
        held.push_back(name);
      return held == names;
    });
  }
  bool waitForReplaced(int times) {
    return waitFor([times](const auto&, int replaced) { return replaced >= times; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, json> now_;
  std::map<std::string, json> next_;
  bool is_replacing_ = false;
  int replaced_ = 0;
  std::string forbidden_;
};

struct WatcherFixture : ServerFixture {
  WatcherFixture()
      : transport(connect()), client(makeClient(*transport, Throttle(), stop.get_token())) {}
  ~WatcherFixture() { stop.request_stop(); }

  void start(Duration idle = kLong) {
    WatchOptions options;
    options.resource = kConfigMaps;
    options.label_selector = "mine";
    options.idle = idle;
    options.forbidden_pause = forbidden_pause;
    options.sleep = [this](Duration duration, const std::stop_token& stop_token) {
      const std::lock_guard lock(mutex);
      waits.push_back(duration);
      return !stop_token.stop_requested();
    };
    watcher = startWatcher(*transport, *client, options, sink, clock, log);
  }

  void add(const std::string& name) {
    server.store().create(mapsTarget(), configMap(name, {{"mine", "yes"}}));
  }

  bool waitForWatches(std::size_t number) {
    return server.waitFor(number, [](const Seen& seen) { return seen.isWatch(); });
  }

  std::vector<std::string> watchTargets() const {
    std::vector<std::string> targets;
    for (const auto& seen : server.seen()) {
      if (seen.isWatch()) targets.push_back(seen.target);
    }
    return targets;
  }

  std::size_t lists() const {
    return server.count([](const Seen& seen) { return !seen.isWatch(); });
  }

  std::vector<Duration> waited() {
    const std::lock_guard lock(mutex);
    return waits;
  }

  static Misbehaviour ofWatch() { return {.is_watch = true}; }

  std::unique_ptr<Transport> transport;
  std::stop_source stop;
  std::unique_ptr<Client> client;
  MapSink sink;
  SystemClock clock;
  Log log = Log::discarding();
  Duration forbidden_pause{};
  std::mutex mutex;
  std::vector<Duration> waits;
  std::unique_ptr<Watcher> watcher;  // last: ends first
};

std::string eventLine(const std::string& type, const std::string& name, std::uint64_t version) {
  return json{{"type", type},
              {"object",
               {{"metadata",
                 {{"name", name},
                  {"resourceVersion", std::to_string(version)},
                  {"labels", {{"mine", "yes"}}}}}}}}
             .dump() +
         "\n";
}

bool hasVersion(const std::string& target, std::uint64_t version) {
  return target.find("resourceVersion=" + std::to_string(version)) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(watcher, *boost::unit_test::timeout(120))

BOOST_FIXTURE_TEST_CASE(sees_what_is_there_and_what_changes, WatcherFixture) {
  add("a");
  start();
  BOOST_TEST(sink.waitForNames({"a"}));
  BOOST_REQUIRE(waitForWatches(1));
  BOOST_TEST(watcher->hasSynced());

  add("b");
  BOOST_TEST(sink.waitForNames({"a", "b"}));
  server.store().edit(mapsTarget("a"), [](json& object) { object["data"] = {{"k", "1"}}; });
  BOOST_TEST(sink.waitFor([](const auto& now, int) {
    return now.contains("a") && now.at("a") == json{{"k", "1"}};
  }));
  server.store().remove(mapsTarget("a"), json::object());
  BOOST_TEST(sink.waitForNames({"b"}));

  BOOST_TEST(lists() == 1U);
  while (watcher->counts().events < 3)
    std::this_thread::yield();
}

BOOST_FIXTURE_TEST_CASE(warns_of_a_list_that_fails_and_not_of_one_that_we_ended, WatcherFixture) {
  const TemporaryFolder folder;
  const auto file = folder / "log";
  log = *Log::toFile(file, LogLevel::kDebug);
  const auto listAndEnd = [this] {
    const std::size_t before = waited().size();
    start();
    while (waited().size() == before)
      std::this_thread::yield();
    watcher.reset();
  };
  stop.request_stop();
  listAndEnd();
  BOOST_TEST(readTextFile(file, 1 << 20)->find("list failed") == std::string::npos);

  client = makeClient(*transport, Throttle(), {});
  server.misbehave(
      {.is_watch = false, .times = -1, .answer = fake::failure(403, "Forbidden", "no")});
  listAndEnd();
  BOOST_TEST(readTextFile(file, 1 << 20)->find("list failed") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(does_without_what_is_forbidden_and_tries_it_again, WatcherFixture) {
  const TemporaryFolder folder;
  const auto file = folder / "log";
  log = *Log::toFile(file, LogLevel::kDebug);
  forbidden_pause = std::chrono::minutes(5);
  add("a");
  server.misbehave(
      {.is_watch = false, .times = 2, .answer = fake::failure(403, "Forbidden", "no")});
  start();
  BOOST_TEST(sink.waitForNames({"a"}));
  BOOST_TEST(sink.waitForForbidden().find("no") != std::string::npos);
  BOOST_TEST((waited() == std::vector<Duration>(2, forbidden_pause)));
  watcher.reset();
  BOOST_TEST(readTextFile(file, 1 << 20)->find("list failed") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(asks_for_bookmarks_and_its_own_objects_only, WatcherFixture) {
  start();
  BOOST_REQUIRE(waitForWatches(1));

  const std::string target = watchTargets().at(0);
  BOOST_TEST(target.find("allowWatchBookmarks=true") != std::string::npos);
  BOOST_TEST(target.find("labelSelector=mine") != std::string::npos);
  BOOST_TEST(target.find("timeoutSeconds=") != std::string::npos);
  BOOST_TEST(hasVersion(target, server.store().version()));
}

BOOST_FIXTURE_TEST_CASE(an_object_that_loses_its_label_is_gone, WatcherFixture) {
  add("a");
  start();
  BOOST_REQUIRE(waitForWatches(1));

  server.store().edit(mapsTarget("a"), [](json& object) { object["metadata"].erase("labels"); });

  BOOST_TEST(sink.waitForNames({}));
}

BOOST_FIXTURE_TEST_CASE(is_not_synced_before_the_first_list_is_complete, WatcherFixture) {
  server.misbehave(
      {.is_watch = false, .times = -1, .answer = fake::failure(403, "Forbidden", "no")});
  start();
  BOOST_REQUIRE(server.waitFor(3, [](const Seen&) { return true; }));

  BOOST_TEST(!watcher->hasSynced());
  server.behave();
  BOOST_TEST(sink.waitForReplaced(1));
}

BOOST_FIXTURE_TEST_CASE(reads_events_however_they_are_cut, WatcherFixture) {
  Misbehaviour rule = ofWatch();
  const std::string all = eventLine("ADDED", "a", 2001) + eventLine("ADDED", "b", 2002) +
                          eventLine("DELETED", "a", 2003) + eventLine("MODIFIED", "c", 2004);
  rule.chunks = {all.substr(0, 10), all.substr(10, 150), all.substr(160, 1), all.substr(161)};
  rule.then = Misbehaviour::Then::kEnd;
  server.misbehave(rule);
  start();

  BOOST_TEST(sink.waitForNames({"b", "c"}));
  BOOST_REQUIRE(waitForWatches(2));
  BOOST_TEST(hasVersion(watchTargets().at(1), 2004));
}

BOOST_FIXTURE_TEST_CASE(watches_on_after_an_end_in_order, WatcherFixture) {
  add("a");
  start();
  BOOST_REQUIRE(waitForWatches(1));
  add("b");
  BOOST_REQUIRE(sink.waitForNames({"a", "b"}));

  server.endWatches();

  BOOST_REQUIRE(waitForWatches(2));
  BOOST_TEST(hasVersion(watchTargets().at(1), server.store().version()));
  BOOST_TEST(lists() == 1U);
  BOOST_TEST(waited().empty());
}

BOOST_FIXTURE_TEST_CASE(a_bookmark_moves_the_version_on, WatcherFixture) {
  start();
  BOOST_REQUIRE(waitForWatches(1));
  server.store().bookmark();
  const auto version = server.store().version();
  while (watcher->counts().events == 0)
    std::this_thread::yield();

  server.endWatches();

  BOOST_REQUIRE(waitForWatches(2));
  BOOST_TEST(hasVersion(watchTargets().back(), version));
}

BOOST_FIXTURE_TEST_CASE(lists_again_after_410_at_connect, WatcherFixture) {
  add("a");
  add("b");
  start();
  BOOST_REQUIRE(waitForWatches(1));
  server.stop();
  server.store().remove(mapsTarget("a"), json::object());
  add("c");
  server.store().compact();
  server.start();

  BOOST_TEST(sink.waitForNames({"b", "c"}));
  BOOST_TEST(lists() == 2U);
  BOOST_TEST(watcher->counts().expired == 1U);
}

BOOST_FIXTURE_TEST_CASE(lists_again_after_410_in_the_stream, WatcherFixture) {
  Misbehaviour rule = ofWatch();
  rule.chunks = {
      json{{"type", "ERROR"}, {"object", fake::failure(410, "Expired", "old").body}}.dump() + "\n"};
  server.misbehave(rule);
  start();

  BOOST_TEST(sink.waitForReplaced(2));
  BOOST_REQUIRE(waitForWatches(2));
  BOOST_TEST(waited().empty());
  BOOST_TEST(watcher->counts().expired == 1U);
}

BOOST_FIXTURE_TEST_CASE(waits_after_an_error_in_the_stream_and_watches_on, WatcherFixture) {
  Misbehaviour rule = ofWatch();
  rule.chunks = {eventLine("ADDED", "a", 2001),
                 json{{"type", "ERROR"}, {"object", fake::busy(429, 5).body}}.dump() + "\n"};
  server.misbehave(rule);
  start();

  BOOST_REQUIRE(waitForWatches(2));
  BOOST_TEST(hasVersion(watchTargets().at(1), 2001));
  BOOST_TEST(lists() == 1U);
  BOOST_REQUIRE(waited().size() == 1U);
  BOOST_TEST((waited().at(0) >= seconds(5)));
}

BOOST_FIXTURE_TEST_CASE(lists_after_server_errors_in_a_row, WatcherFixture) {
  Misbehaviour rule = ofWatch();
  rule.times = 3;
  rule.answer = fake::failure(500, "InternalError", "etcd");
  server.misbehave(rule);
  start();

  BOOST_TEST(sink.waitForReplaced(2));
  BOOST_TEST(server.count([](const Seen& seen) { return seen.isWatch(); }) >= 3U);
}

BOOST_FIXTURE_TEST_CASE(waits_as_long_as_the_server_asks_at_connect, WatcherFixture) {
  Misbehaviour rule = ofWatch();
  rule.answer = fake::busy(429, 4);
  server.misbehave(rule);
  start();

  BOOST_REQUIRE(waitForWatches(2));
  BOOST_REQUIRE(waited().size() == 1U);
  BOOST_TEST((waited().at(0) >= seconds(4)));
  BOOST_TEST(lists() == 1U);
}

BOOST_FIXTURE_TEST_CASE(takes_a_silent_watch_for_dead_and_misses_nothing, WatcherFixture) {
  Misbehaviour rule = ofWatch();
  rule.then = Misbehaviour::Then::kSilent;
  server.misbehave(rule);
  start(milliseconds(200));
  BOOST_REQUIRE(waitForWatches(1));

  add("a");

  BOOST_TEST(sink.waitForNames({"a"}));
  BOOST_TEST(lists() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_dropped_watch_goes_on_from_its_version, WatcherFixture) {
  start();
  BOOST_REQUIRE(waitForWatches(1));
  add("a");
  BOOST_REQUIRE(sink.waitForNames({"a"}));

  server.dropConnections();
  add("b");

  BOOST_TEST(sink.waitForNames({"a", "b"}));
  BOOST_TEST(lists() == 1U);
}

BOOST_FIXTURE_TEST_CASE(waits_when_a_watch_ends_at_once, WatcherFixture) {
  Misbehaviour rule = ofWatch();
  rule.times = 3;
  rule.then = Misbehaviour::Then::kEnd;
  server.misbehave(rule);
  start();

  BOOST_REQUIRE(waitForWatches(4));
  BOOST_TEST(waited().size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(counts_lines_that_are_no_events_and_lists_again, WatcherFixture) {
  add("a");
  Misbehaviour rule = ofWatch();
  rule.chunks = {"{\"type\":\"ADDED\",\"obj\n"};
  server.misbehave(rule);
  start();

  BOOST_TEST(sink.waitForReplaced(2));
  BOOST_TEST(watcher->counts().malformed == 1U);
}

BOOST_FIXTURE_TEST_CASE(half_a_line_at_the_end_is_not_parsed, WatcherFixture) {
  Misbehaviour rule = ofWatch();
  const std::string line = eventLine("ADDED", "a", 2001);
  rule.chunks = {line + line.substr(0, line.size() / 2)};
  rule.then = Misbehaviour::Then::kDrop;
  server.misbehave(rule);
  start();

  BOOST_REQUIRE(waitForWatches(2));
  BOOST_TEST(watcher->counts().malformed == 0U);
  BOOST_TEST(hasVersion(watchTargets().at(1), 2001));
}

BOOST_FIXTURE_TEST_CASE(waits_for_a_server_that_is_away, WatcherFixture) {
  add("a");
  start();
  BOOST_REQUIRE(sink.waitForNames({"a"}));
  BOOST_REQUIRE(waitForWatches(1));

  server.stop();
  while (waited().size() < 3)
    std::this_thread::yield();
  BOOST_TEST(watcher->hasSynced());
  server.start();
  add("b");

  BOOST_TEST(sink.waitForNames({"a", "b"}));
}

BOOST_FIXTURE_TEST_CASE(ends_in_the_middle_of_a_watch, WatcherFixture) {
  start(std::chrono::hours(1));  // the watch itself would outlive the suite's timeout
  BOOST_REQUIRE(waitForWatches(1));

  watcher.reset();

  BOOST_TEST(lists() == 1U);
}

BOOST_FIXTURE_TEST_CASE(has_nothing_to_say_when_it_is_ended, WatcherFixture) {
  const TemporaryFolder folder;
  log = Log::toFile(folder.path() / "log", LogLevel::kDebug).value();
  start();
  BOOST_REQUIRE(waitForWatches(1));

  watcher.reset();

  BOOST_TEST(std::filesystem::file_size(folder.path() / "log") == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::watcher_test
