#pragma once

#include <functional>
#include <future>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

#include "cli/cluster/cluster.h"
#include "cli/cluster/watch_feed.h"
#include "kube/client/rest_transport.h"
#include "kube/client/watcher.h"
#include "tests/support/kube/fake_api_server.h"
#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli {

/// No credentials.
class NoCredentials final : public kube::Credentials {
 public:
  Result<std::string> token() override { return std::string(); }
  Result<kube::TlsMaterial> tls() override { return kube::TlsMaterial(); }
  bool refresh() override { return false; }
};

class FixedWallClock final : public WallClock {
 public:
  WallTime now() const override { return at("12:03:00"); }
};

class FixtureWatch final : public Watch {
 public:
  FixtureWatch(kube::Transport& transport, kube::Client& client, const kube::WatchOptions& options,
               std::function<void(Change)> on_change, const Clock& clock)
      : sink_(std::move(on_change)),
        watcher_(kube::startWatcher(transport, client, options, sink_, clock, Log::discarding())) {}

 private:
  ChangeSink sink_;
  std::unique_ptr<kube::Watcher> watcher_;
};

/// A command's view of an API server in this process, and what the command printed.
struct ClusterFixture {
  ClusterFixture() {
    auto made = kube::makeTransport(
        {server.url(), "", "default", "sumac-test/1", std::make_shared<NoCredentials>()});
    if (!made) BOOST_FAIL(made.error().message);
    transport = *std::move(made);
    kube::ClientOptions options;
    options.sleep = [](Duration, const std::stop_token& token) { return !token.stop_requested(); };
    client = kube::makeClient(*transport, options, stop.get_token());
    cluster = std::make_unique<Cluster>(
        Cluster{*client, *transport,
                [this](const WatchedList& list, std::function<void(Change)> on_change) {
                  return watch(list, std::move(on_change));
                },
                clock, wall_clock, stop.get_token(), "default", false, server.url()});
  }

  static fake::Target target(const std::string& name, const std::string& subresource = "") {
    return {"sumac.dev/v1alpha1", "trainingjobs", "default", name, subresource};
  }
  static fake::Target podTarget(const std::string& name) {
    return {"v1", "pods", "default", name, ""};
  }

  /// The store gives objects uids of its own: this one is put into pods' owners.
  std::string addJob(const nlohmann::json& object) {
    const std::string name = object["metadata"]["name"].get<std::string>();
    const auto made = server.store().create(target(""), object);
    if (made.status != 201) throw std::runtime_error("no job " + name);
    if (object.contains("status")) setStatus(name, object["status"]);
    return made.body["metadata"]["uid"].get<std::string>();
  }
  void setStatus(const std::string& name, const nlohmann::json& status) {
    server.store().edit(target(name), [&](nlohmann::json& object) { object["status"] = status; });
  }
  void addPod(nlohmann::json pod, const std::string& owner_uid) {
    pod["metadata"]["ownerReferences"][0]["uid"] = owner_uid;
    const auto status = pod["status"];
    const auto made = server.store().create(podTarget(""), pod);
    if (made.status != 201) throw std::runtime_error("no pod");
    server.store().edit(podTarget(pod["metadata"]["name"].get<std::string>()),
                        [&](nlohmann::json& object) { object["status"] = status; });
  }

  /// What GET .../log of a pod answers, `times` times.
  void answerLog(const std::string& pod, const std::string& text, int times = 1) {
    answerLogRequests("/pods/" + pod + "/log", text, times);
  }
  /// Only those who follow it get this text.
  void answerFollowedLog(const std::string& pod, const std::string& text) {
    answerLogRequests("/pods/" + pod + "/log?container=sumac&follow=true", text, -1);
  }
  void answerLogRequests(const std::string& target, const std::string& text, int times,
                         const std::string& target_lacks = {},
                         std::shared_future<void> after = {}) {
    server.misbehave({.target_contains = target,
                      .target_lacks = target_lacks,
                      .times = times,
                      .after = std::move(after),
                      .raw = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " +
                             std::to_string(text.size()) + "\r\nConnection: close\r\n\r\n" + text});
  }

  std::unique_ptr<Watch> watch(const WatchedList& list, std::function<void(Change)> on_change) {
    kube::WatchOptions options;
    options.resource = list.resource;
    options.name_space = list.name_space;
    options.label_selector = list.label_selector;
    options.field_selector = list.field_selector;
    return std::make_unique<FixtureWatch>(*transport, *client, options, std::move(on_change),
                                          clock);
  }

  fake::FakeApiServer server;
  std::stop_source stop;
  SystemClock clock;
  FixedWallClock wall_clock;
  std::unique_ptr<kube::Transport> transport;
  std::unique_ptr<kube::Client> client;
  std::unique_ptr<Cluster> cluster;
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console console{in, out, err};
};

}  // namespace sumac::cli
