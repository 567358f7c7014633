#include "exchange/link/authenticator.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/keys/job_keys.h"
#include "exchange/link/sockets.h"

namespace sumac::link {
namespace {

constexpr const char* kEndpoint = "inproc://zeromq.zap.01";

/// The frames of a request of RFC 27, and what they hold.
namespace at {
constexpr std::size_t kVersion = 0;
constexpr std::size_t kRequest = 1;
constexpr std::size_t kDomain = 2;
constexpr std::size_t kMechanism = 5;
constexpr std::size_t kKey = 6;
}  // namespace at
constexpr std::size_t kRequestFrames = 7;

std::vector<zmq::message_t> receiveAll(zmq::socket_t& socket) {
  std::vector<zmq::message_t> frames;
  for (bool more = true; more;) {
    zmq::message_t frame;
    if (zmq_msg_recv(frame.handle(), socket.handle(), ZMQ_DONTWAIT) < 0) return {};
    more = frame.more();
    frames.push_back(std::move(frame));
  }
  return frames;
}

}  // namespace

Authenticator::Authenticator(zmq::context_t& context) : socket_(context, zmq::socket_type::rep) {
  socket_.set(zmq::sockopt::linger, 0);
  socket_.bind(kEndpoint);
  // Starting a thread hands the socket over: ZeroMQ wants a full fence, and that is one.
  thread_ = std::thread([this] { run(); });
}

Authenticator::~Authenticator() {
  stop_.raise();
  thread_.join();
}

std::string Authenticator::open(std::shared_ptr<const Keyring> keys) {
  const std::scoped_lock lock(mutex_);
  std::string domain = "sumac-" + std::to_string(++domains_);
  keys_of_.emplace(domain, std::move(keys));
  return domain;
}

void Authenticator::close(const std::string& domain) {
  const std::scoped_lock lock(mutex_);
  keys_of_.erase(domain);
}

// The thread's root. An exception here ends the process: a member that cannot tell friend from foe
// is of no use, and its end is noticed at once.
void Authenticator::run() {
  std::array<zmq_pollitem_t, 2> items{
      {{socket_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, stop_.fd(), ZMQ_POLLIN, 0}}};
  while (true) {
    zmq_poll(items.data(), static_cast<int>(items.size()), -1);
    if (items[1].revents != 0) return;
    if (items[0].revents != 0) answer();
  }
}

void Authenticator::answer() {
  const auto request = receiveAll(socket_);
  if (request.empty()) return;
  const std::string name = request.size() == kRequestFrames ? nameOf(request) : "";
  const bool is_admitted = !name.empty();
  const std::string id = request.size() > at::kRequest ? request[at::kRequest].to_string() : "";
  const std::array<std::string, 6> reply{
      "1.0",          id, is_admitted ? "200" : "400", is_admitted ? "OK" : "no key of this job",
      name,
      /*metadata=*/""};
  for (std::size_t i = 0; i < reply.size(); ++i) {
    sendFrame(socket_, asBytes(reply[i]), i + 1 < reply.size() ? ZMQ_SNDMORE : 0);
  }
}

/// "worker-3" when the request comes with that slot's key; empty when nobody has it.
std::string Authenticator::nameOf(const std::vector<zmq::message_t>& request) {
  const BytesView bytes = view(request[at::kKey]);
  if (request[at::kVersion].to_string_view() != "1.0" ||
      request[at::kMechanism].to_string_view() != "CURVE" || bytes.size() != kKeySize) {
    return {};
  }
  PublicKey key{};
  std::copy(bytes.begin(), bytes.end(), key.begin());
  const std::scoped_lock lock(mutex_);
  const auto keys = keys_of_.find(request[at::kDomain].to_string());
  if (keys == keys_of_.end()) return {};
  const auto slot = keys->second->slotOf(key);
  return slot ? keyName(*slot) : std::string();
}

}  // namespace sumac::link
