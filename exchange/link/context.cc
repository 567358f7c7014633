#include "exchange/link/context.h"

#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include <zmq.hpp>

#include "exchange/link/authenticator.h"

namespace sumac::link {
namespace {

/// Throws std::system_error where the system refuses so many threads. ZeroMQ would abort the
/// process.
void requireThreads(int count) {
  std::mutex gate;
  std::vector<std::jthread> tried;
  const std::scoped_lock closed(gate);  // so that all of them live at once
  for (int i = 0; i < count; ++i)
    tried.emplace_back([&gate] { const std::scoped_lock through(gate); });
}

// A connection that we open has three: its own, and two of its monitor. A worker opens at most
// 1,024, and each may be opened again while the old one closes. ZeroMQ's own limit is 1,023.
constexpr int kMostSockets = 8192;

/// Makes a context start its threads, which it does with its first socket.
void start(zmq::context_t& context) {
  try {
    context.set(zmq::ctxopt::max_sockets, kMostSockets);
    const zmq::socket_t first(context, zmq::socket_type::pair);
  } catch (const zmq::error_t& failure) {
    throw std::system_error(failure.num(), std::generic_category(), "cannot start ZeroMQ");
  }
}

}  // namespace

struct Context::State {
  explicit State(int io_threads) : context(io_threads) {}
  zmq::context_t context;

  // Set once, by any thread.
  std::mutex mutex;
  std::optional<Authenticator> authenticator;  // goes before the context, which waits for it
};

Context::Context(int io_threads) : state_(std::make_unique<State>(io_threads)) {
  constexpr int kReaper = 1;  // closes ZeroMQ's sockets
  requireThreads(io_threads + kReaper);
  start(state_->context);
}

Context::~Context() = default;

zmq::context_t& Context::native() const {
  return state_->context;
}

Authenticator& Context::authenticator() const {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->authenticator) state_->authenticator.emplace(state_->context);
  return *state_->authenticator;
}

}  // namespace sumac::link
