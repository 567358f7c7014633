#include "tests/integration/simulation/sim_server.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "tests/integration/simulation/sim_job.h"
#include "tests/support/plain_kernels.h"

namespace sumac {

void addSums(Roles& roles, Slot self, const SimOptions& options, const Clock& clock,
             MemberListener& listener) {
  roles.summing = {.kernels = &kPlainKernels};
  if (self == simCoordinator(options)) {
    roles.coordinating = {.method = options.method,
                          .workers = options.workers,
                          .servers = options.servers,
                          .most = options.most,
                          .clock = &clock,
                          .limits = options.limits};
  }
  roles.plan_of = [&options](int vocabulary) -> Result<SumPlan> {
    return SumPlan{simPlan(options, vocabulary), {}};
  };
  roles.listener = &listener;
}

void checkPush(const wire::Header& header, const link::PayloadPtr& payload) {
  const bool is_plain = header.codec == Codec::kFp32 && !header.is_sparse;
  if (header.type != wire::MessageType::kPush || !is_plain) return;
  float value = 0;
  std::memcpy(&value, payload->bytes().data(), sizeof(value));
  if (value == kSimOverwritten) throw std::logic_error("a contribution was read too late");
}

SimServer::SimServer(const Member& self, const SimOptions& options, SimNetwork& network,
                     OnEnd onEnd)
    : network_(network), on_end_(std::move(onEnd)), self_(self) {
  MemberIdentity identity;
  identity.self = self_;
  identity.job = kSimJob;
  identity.coordinator = simCoordinator(options);
  identity.coordinator_endpoint = simEndpoint(identity.coordinator);
  if (options.most) identity.orphan_patience = std::chrono::seconds(60);
  identity.request.endpoint = simEndpoint(self_.slot);
  link::Link& link = network.add(identity.self, kSimJob, simEndpoint(self_.slot), *this,
                                 [this] { member_->onTick(network_.now()); });
  Roles roles;
  addSums(roles, self_.slot, options, network.clock(), *this);
  member_ = std::make_unique<JobMember>(identity, roles, link);
}

void SimServer::start() {
  member_->start(network_.now());
  network_.listen(self_);
}

void SimServer::onMessage(link::Peer from, const wire::Header& header,
                          const link::PayloadPtr& payload) {
  order_.take(from, header);
  checkPush(header, payload);
  member_->onMessage(from, header, payload);
}

}  // namespace sumac
