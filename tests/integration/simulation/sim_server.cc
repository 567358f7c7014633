#include "tests/integration/simulation/sim_server.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "tests/integration/simulation/sim_job.h"
#include "tests/support/plain_kernels.h"

namespace sumac {

void addSums(Roles& roles, Slot self, const SimGround& ground, MemberListener& listener) {
  const SimOptions& options = ground.options;
  roles.summing = {.kernels = &kPlainKernels};
  if (self == simCoordinator(options)) {
    roles.coordinating = {.method = options.method,
                          .workers = ground.workers,
                          .servers = options.servers,
                          .most = options.most,
                          .clock = &ground.network.clock(),
                          .limits = options.limits};
  }
  roles.plan_of = [&options](std::int64_t size) -> Result<SumPlan> {
    return SumPlan{simPlan(options, size), {}};
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

SimServer::SimServer(const Member& self, const SimGround& ground, OnEnd onEnd)
    : network_(ground.network), watch_(ground.watch), on_end_(std::move(onEnd)), self_(self) {
  const SimOptions& options = ground.options;
  MemberIdentity identity;
  identity.self = self_;
  identity.job = kSimJob;
  identity.coordinator = simCoordinator(options);
  identity.coordinator_endpoint = simEndpoint(identity.coordinator);
  if (options.most) identity.orphan_patience = std::chrono::seconds(60);
  identity.request.endpoint = simEndpoint(options, self_);
  link::Link& link = network_.add(identity.self, kSimJob, identity.request.endpoint, *this,
                                  [this] { member_->onTick(network_.now()); });
  Roles roles;
  addSums(roles, self_.slot, ground, *this);
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
