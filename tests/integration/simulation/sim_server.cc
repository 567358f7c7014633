#include "tests/integration/simulation/sim_server.h"

#include <utility>

#include "tests/integration/simulation/sim_job.h"
#include "tests/support/plain_kernels.h"

namespace sumac {

SimServer::SimServer(int index, const SimOptions& options, SimNetwork& network, OnEnd onEnd)
    : network_(network), on_end_(std::move(onEnd)), slot_{Role::kServer, index} {
  const Member self{slot_, static_cast<Incarnation>(200 + index)};
  link::Link& link = network.add(self, kSimJob, simEndpoint(slot_), *this,
                                 [this] { session_->onTick(network_.now()); });
  open(self, options, link);
}

SimServer::SimServer(const Member& self, const SimOptions& options, SimNetwork& network,
                     link::Link& link, OnEnd onEnd)
    : network_(network), on_end_(std::move(onEnd)), slot_(self.slot), is_resident_(true) {
  open(self, options, link);
}

void SimServer::open(const Member& self, const SimOptions& options, link::Link& link) {
  server::ServerIdentity identity;
  identity.self = self;
  identity.job = kSimJob;
  identity.endpoint = is_resident_ ? std::string() : simEndpoint(slot_);
  identity.workers = options.workers;
  identity.servers = options.servers;
  identity.coordinator = simCoordinator(options);
  identity.sharing = options.sharing;
  identity.clock = &network_.clock();
  identity.limits = options.limits;
  const bool joins = !is_resident_ && slot_ != identity.coordinator;
  session_ = std::make_unique<server::Session>(
      std::move(identity),
      [&options](int vocabulary) -> Result<SumPlan> {
        return SumPlan{simPlan(options, vocabulary), {}};
      },
      joins ? simEndpoint(simCoordinator(options)) : std::string(), kPlainKernels, link, *this);
}

void SimServer::start() {
  session_->start(network_.now());
  if (!is_resident_) network_.listen(slot_);
}

void SimServer::onMessage(link::Peer from, const wire::Header& header,
                          const link::PayloadPtr& payload) {
  if (!is_resident_) order_.take(from, header);
  generation_ = std::max(generation_, header.generation);
  if (header.type == wire::MessageType::kPush && header.codec == Codec::kFp32 &&
      !header.is_sparse) {
    float value = 0;
    std::memcpy(&value, payload->bytes().data(), sizeof(value));
    if (value == kSimOverwritten) throw std::logic_error("a contribution was read too late");
  }
  session_->onMessage(from, header, payload);
}

}  // namespace sumac
