#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "kube/client/transport.h"

namespace sumac::control {

/// Passes requests to the transport behind it and reports each one's verb and status code. As
/// thread-safe as that transport.
class CountingTransport final : public kube::Transport {
 public:
  /// `code` 0: no answer. A watch is reported when it ends.
  using Count = std::function<void(std::string_view verb, int code)>;

  CountingTransport(std::unique_ptr<kube::Transport> next, Count count)
      : next_(std::move(next)), count_(std::move(count)) {}

  kube::Response send(const kube::Request& request, Duration timeout,
                      const std::stop_token& stop) override;
  kube::Response stream(const kube::Request& request, Duration idle, const std::stop_token& stop,
                        const std::function<bool(std::string_view)>& on_line, bool raw) override;

 private:
  const std::unique_ptr<kube::Transport> next_;
  const Count count_;
};

}  // namespace sumac::control
