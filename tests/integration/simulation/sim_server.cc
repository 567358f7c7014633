#include "tests/integration/simulation/sim_server.h"

#include <utility>

#include "tests/integration/simulation/sim_job.h"
#include "tests/support/plain_kernels.h"

namespace sumac {

SimServer::SimServer(int index, const SimOptions& options, SimNetwork& network, OnEnd onEnd)
    : network_(network), on_end_(std::move(onEnd)), slot_{Role::kServer, index} {
  server::ServerIdentity identity;
  identity.self = {slot_, static_cast<Incarnation>(200 + index)};
  link::Link& link = network.add(identity.self, kSimJob, simEndpoint(slot_), *this,
                                 [this] { session_->onTick(network_.now()); });
  identity.job = kSimJob;
  identity.endpoint = simEndpoint(slot_);
  identity.workers = options.workers;
  identity.servers = options.servers;
  session_ = std::make_unique<server::Session>(
      std::move(identity),
      [&options](int vocabulary) -> Result<server::SumPlan> {
        return server::SumPlan{simPlan(options, vocabulary), {}};
      },
      index == 0 ? std::string() : simEndpoint({Role::kServer, 0}), kPlainKernels, link, *this);
}

void SimServer::start() {
  session_->start(network_.now());
  network_.listen(slot_);
}

void SimServer::onMessage(link::Peer from, const wire::Header& header, BytesView payload) {
  order_.take(from, header);
  generation_ = std::max(generation_, header.generation);
  if (header.type == wire::MessageType::kPush) {
    float value = 0;
    std::memcpy(&value, payload.data(), sizeof(value));
    if (value == kSimOverwritten) throw std::logic_error("a contribution was read too late");
  }
  session_->onMessage(from, header, payload);
}

}  // namespace sumac
