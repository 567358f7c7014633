#include "cli/cluster/connect.h"

#include <random>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/cluster/watch_feed.h"
#include "kube/client/rest_transport.h"
#include "kube/client/watcher.h"

namespace sumac::cli {
namespace {

class WatcherWatch final : public Watch {
 public:
  WatcherWatch(kube::Transport& transport, kube::Client& client, const kube::WatchOptions& options,
               std::function<void(Change)> on_change, const Clock& clock, const Log& log)
      : sink_(std::move(on_change)),
        watcher_(kube::startWatcher(transport, client, options, sink_, clock, log)) {}

 private:
  ChangeSink sink_;
  std::unique_ptr<kube::Watcher> watcher_;  // uses the sink
};

class RealConnection final : public Connection {
 public:
  RealConnection(const kube::ConfigOptions& options, const kube::ClusterConfig& config,
                 std::unique_ptr<kube::Transport> transport, std::stop_token stop, Log log)
      : log_(std::move(log)),
        transport_(std::move(transport)),
        client_(kube::makeClient(*transport_, kube::Throttle(), stop)),
        cluster_{*client_,
                 *transport_,
                 [this](const WatchedList& list, std::function<void(Change)> on_change) {
                   return watch(list, std::move(on_change));
                 },
                 clock_,
                 wall_clock_,
                 std::move(stop),
                 config.name_space,
                 !options.name_space.empty(),
                 config.server} {}

  const Cluster& cluster() const override { return cluster_; }

 private:
  std::unique_ptr<Watch> watch(const WatchedList& list, std::function<void(Change)> on_change) {
    kube::WatchOptions options;
    options.resource = list.resource;
    options.name_space = list.name_space;
    options.label_selector = list.label_selector;
    options.field_selector = list.field_selector;
    options.jitter = kube::jitterFrom(seed_++);
    return std::make_unique<WatcherWatch>(*transport_, *client_, options, std::move(on_change),
                                          clock_, log_);
  }

  const Log log_;
  const SystemClock clock_;
  const SystemWallClock wall_clock_;
  std::uint64_t seed_ = std::random_device()();
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
  const Cluster cluster_;
};

}  // namespace

Result<std::unique_ptr<Connection>> connect(const kube::ConfigOptions& options,
                                            std::stop_token stop, const Log& log) {
  const auto config = kube::loadConfig(options, log);
  if (!config) return config.error();
  auto transport = kube::makeTransport(*config);
  if (!transport) return transport.error();
  return std::unique_ptr<Connection>(std::make_unique<RealConnection>(
      options, *config, *std::move(transport), std::move(stop), log));
}

}  // namespace sumac::cli
