#include "operator/control/counting_transport.h"

namespace sumac::control {
namespace {

std::string_view verbOf(kube::Method method) {
  switch (method) {
    case kube::Method::kGet: return "get";
    case kube::Method::kPost: return "create";
    case kube::Method::kPut: return "update";
    case kube::Method::kPatch: return "patch";
    case kube::Method::kDelete: return "delete";
  }
  return "unknown";
}

}  // namespace

kube::Response CountingTransport::send(const kube::Request& request, Duration timeout,
                                       const std::stop_token& stop) {
  kube::Response response = next_->send(request, timeout, stop);
  count_(verbOf(request.method), response.status);
  return response;
}

kube::Response CountingTransport::stream(const kube::Request& request, Duration idle,
                                         const std::stop_token& stop,
                                         const std::function<bool(std::string_view)>& on_line,
                                         bool raw) {
  kube::Response response = next_->stream(request, idle, stop, on_line, raw);
  count_("watch", response.status);
  return response;
}

}  // namespace sumac::control
