// Threads: one per watcher, which calls the sink; counters are atomics that anybody reads.
// Invariant: after anything that may have been missed there is a list before the next watch.
#include "kube/client/watcher.h"

#include <atomic>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "kube/client/watch_core.h"
#include "kube/client/watch_event.h"

namespace sumac::kube {
namespace {

using nlohmann::json;

/// Takes the lines of one watch.
class WatchReader {
 public:
  /// `on_line` is called for each line, `on_event` for each event that was taken.
  WatchReader(Sink& sink, std::string& version, std::function<void()> on_line,
              std::function<void()> on_event)
      : sink_(sink),
        version_(version),
        on_line_(std::move(on_line)),
        on_event_(std::move(on_event)) {}

  bool take(std::string_view line) {
    if (line.empty()) return true;
    on_line_();
    auto event = readWatchEvent(line);
    if (!event) {
      malformed_ = event.error().message;
      return false;
    }
    if (event->type == WatchEventType::kError) {
      error_ = failureOf("watch", event->object);
      return false;
    }
    if (event->type == WatchEventType::kUpsert) sink_.upsert(event->object);
    if (event->type == WatchEventType::kDelete) sink_.remove(event->object);
    // Only now: what the sink has not taken is asked for again.
    version_ = event->resource_version;
    has_events_ = true;
    on_event_();
    return true;
  }

  bool hasEvents() const { return has_events_; }
  const std::optional<Failure>& error() const { return error_; }
  const std::string& malformed() const { return malformed_; }

 private:
  Sink& sink_;            // outlives us
  std::string& version_;  // outlives us
  std::function<void()> on_line_;
  std::function<void()> on_event_;
  bool has_events_ = false;
  std::optional<Failure> error_;
  std::string malformed_;
};

class WatcherThread final : public Watcher {
 public:
  WatcherThread(Transport& transport, Client& client, WatchOptions options, Sink& sink,
                const Clock& clock, const Log& log)
      : transport_(transport),
        client_(client),
        options_(std::move(options)),
        sink_(sink),
        clock_(clock),
        log_(log.with({"resource", std::string(options_.resource.plural)})),
        core_(options_.jitter) {
    advance();
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  bool hasSynced() const override { return has_synced_.load(std::memory_order_acquire); }
  TimePoint lastAdvance() const override {
    return TimePoint(Duration(last_advance_.load(std::memory_order_relaxed)));
  }
  WatchCounts counts() const override {
    return {events_.load(), lists_.load(), watches_.load(), expired_.load(), malformed_.load()};
  }

 private:
  void run(const std::stop_token& stop) {
    NextWatchStep next;
    while (!stop.stop_requested()) {
      if (next.delay > Duration::zero() && !options_.sleep(next.delay, stop)) return;
      advance();
      next = next.step == WatchStep::kList ? list() : watch(stop);
    }
  }

  NextWatchStep list() {
    sink_.replaceBegin();
    const ListEnd end = client_.list(
        options_.resource, options_.name_space, {options_.label_selector, options_.field_selector},
        [this](const json& object) {
          advance();
          sink_.upsert(object);
        },
        [this] { sink_.replaceBegin(); });
    const bool may_be_forbidden = options_.forbidden_pause > Duration::zero();
    if (end.failure && may_be_forbidden && end.failure->isForbidden()) {
      sink_.forbid(end.failure->message);
      return {WatchStep::kList, options_.forbidden_pause};
    }
    if (end.failure) {
      // A process that is ending has nothing to warn of.
      if (!end.failure->is_stopped) log_.warn("list failed", {{"error", end.failure->message}});
    } else {
      version_ = end.resource_version;
      sink_.replaceEnd();
      ++lists_;
      has_synced_.store(true, std::memory_order_release);
    }
    return core_.afterList(end.failure, clock_.now());
  }

  NextWatchStep watch(const std::stop_token& stop) {
    WatchReader reader(
        sink_, version_, [this] { advance(); }, [this] { ++events_; });
    const TimePoint begun = clock_.now();
    ++watches_;
    const Response response =
        transport_.stream(watchRequest(), options_.idle, stop,
                          [&reader](std::string_view line) { return reader.take(line); });
    WatchEnding ending;
    ending.lived = clock_.now() - begun;
    ending.had_events = reader.hasEvents();
    if (stop.stop_requested()) return {};
    describe(response, reader, ending);
    return core_.afterWatch(ending, clock_.now());
  }

  Request watchRequest() {
    Request request;
    request.path = pathOf(options_.resource, options_.name_space);
    request.query = {{"watch", "true"},
                     {"allowWatchBookmarks", "true"},
                     {"resourceVersion", version_},
                     {"timeoutSeconds", std::to_string(core_.nextTimeout().count())}};
    if (!options_.label_selector.empty()) {
      request.query.emplace_back("labelSelector", options_.label_selector);
    }
    if (!options_.field_selector.empty()) {
      request.query.emplace_back("fieldSelector", options_.field_selector);
    }
    return request;
  }

  /// Fills in why the watch ended, counts it, and logs it unless it is routine.
  void describe(const Response& response, const WatchReader& reader, WatchEnding& ending) {
    std::string words = response.error;
    if (!reader.malformed().empty()) {
      ending.end = WatchEnd::kMalformed;
      words = reader.malformed();
      ++malformed_;
    } else if (reader.error() || response.status != 200) {
      const Failure failure = reader.error() ? *reader.error() : failureOf("watch", response);
      ending.end = endOf(failure);
      ending.retry_after = failure.retry_after;
      words = failure.message;
    } else if (!response.error.empty()) {
      ending.end = WatchEnd::kLost;
    }
    if (ending.end == WatchEnd::kInOrder) return;
    if (ending.end == WatchEnd::kExpired) {
      ++expired_;
      log_.info("watch expired, listing again", {{"error", words}});
    } else {
      log_.warn("watch ended", {{"why", toString(ending.end)}, {"error", words}});
    }
  }

  void advance() {
    last_advance_.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
  }

  Transport& transport_;  // outlives us
  Client& client_;        // outlives us
  const WatchOptions options_;
  Sink& sink_;          // outlives us
  const Clock& clock_;  // outlives us
  const Log log_;

  // Owned by the thread.
  WatchCore core_;
  std::string version_;

  std::atomic<bool> has_synced_ = false;  // release: the sink's contents come before
  std::atomic<Duration::rep> last_advance_ = 0;
  std::atomic<std::uint64_t> events_ = 0;
  std::atomic<std::uint64_t> lists_ = 0;
  std::atomic<std::uint64_t> watches_ = 0;
  std::atomic<std::uint64_t> expired_ = 0;
  std::atomic<std::uint64_t> malformed_ = 0;

  std::jthread thread_;  // last: stops and joins before the rest goes
};

}  // namespace

std::unique_ptr<Watcher> startWatcher(Transport& transport, Client& client, WatchOptions options,
                                      Sink& sink, const Clock& clock, const Log& log) {
  return std::make_unique<WatcherThread>(transport, client, std::move(options), sink, clock, log);
}

}  // namespace sumac::kube
