#include "exchange/link/dealer.h"

#include <utility>

#include "exchange/link/curve.h"

namespace sumac::link {
namespace {

constexpr int kReconnectFirst = 50;   // ms
constexpr int kReconnectLast = 1000;  // ms
// A pod that is gone answers nothing, and its name may stand for another address by now.
constexpr int kConnectTimeout = 2000;  // ms

}  // namespace

Dealer::Dealer(zmq::context_t& context, DealerOptions options)
    : context_(&context),
      options_(std::move(options)),
      host_(hostKind(options_.endpoint)),
      is_v6_(host_ != HostKind::kV4) {
  open();
}

void Dealer::open() {
  socket_.emplace(*context_, zmq::socket_type::dealer);
  setCommonOptions(*socket_);
  // A name that has only IPv4 addresses is reached through an IPv6 socket, too.
  socket_->set(zmq::sockopt::ipv6, is_v6_ ? 1 : 0);
  socket_->set(zmq::sockopt::immediate, 1);
  socket_->set(zmq::sockopt::reconnect_ivl, kReconnectFirst);
  socket_->set(zmq::sockopt::reconnect_ivl_max, kReconnectLast);
  socket_->set(zmq::sockopt::connect_timeout, kConnectTimeout);
  socket_->set(zmq::sockopt::routing_id, encode(options_.self));
  if (options_.keys != nullptr) secureDialler(*socket_, *options_.keys, options_.key);
  monitor_.emplace(*context_, *socket_,
                   ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | kRefused);
  socket_->connect(options_.endpoint);
  polled_.emplace(socket_->handle());
}

void Dealer::drop() {
  up = false;
  monitor_.reset();
  if (socket_) socket_->set(zmq::sockopt::linger, 0);
  socket_.reset();
}

void Dealer::reopen() {
  if (host_ == HostKind::kName && !was_up) is_v6_ = !is_v6_;
  drop();
  open();
}

void Dealer::close() {
  is_closed_ = true;
  drop();
}

void Dealer::noticeConnection() {
  int events = 0;
  std::size_t size = sizeof(events);
  zmq_getsockopt(socket_->handle(), ZMQ_EVENTS, &events, &size);
  polled_->markDue();
}

}  // namespace sumac::link
