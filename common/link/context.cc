#include "common/link/context.h"

#include <mutex>
#include <optional>

#include <zmq.hpp>

#include "common/link/authenticator.h"

namespace sumac::link {

struct Context::State {
  explicit State(int io_threads) : context(io_threads) {}
  zmq::context_t context;

  // Set once, by any thread.
  std::mutex mutex;
  std::optional<Authenticator> authenticator;  // goes before the context, which waits for it
};

Context::Context(int io_threads) : state_(std::make_unique<State>(io_threads)) {}

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
