#pragma once

#include "kube/client/transport.h"
#include "operator/control/write_gate.h"

namespace sumac::control {

/// Rejects requests unless this process is the leader; otherwise passes them to the transport
/// behind it. As thread-safe as that transport.
class GatedTransport final : public kube::Transport {
 public:
  /// All of these outlive us.
  GatedTransport(kube::Transport& next, const WriteGate& gate, const Clock& clock)
      : next_(next), gate_(gate), clock_(clock) {}

  kube::Response send(const kube::Request& request, Duration timeout,
                      const std::stop_token& stop) override {
    return gate_.isOpen(clock_.now()) ? next_.send(request, timeout, stop) : refusal();
  }
  kube::Response stream(const kube::Request& request, Duration idle, const std::stop_token& stop,
                        const std::function<bool(std::string_view)>& on_line, bool raw) override {
    return gate_.isOpen(clock_.now()) ? next_.stream(request, idle, stop, on_line, raw) : refusal();
  }

 private:
  static kube::Response refusal() {
    kube::Response response;
    response.error = "not sent: this operator does not lead";
    response.is_unsent = true;
    return response;
  }

  kube::Transport& next_;
  const WriteGate& gate_;
  const Clock& clock_;
};

}  // namespace sumac::control
