#include "common/link/context.h"

#include <zmq.hpp>

namespace sumac::link {

struct Context::State {
  explicit State(int io_threads) : context(io_threads) {}
  zmq::context_t context;
};

Context::Context(int io_threads) : state_(std::make_unique<State>(io_threads)) {}

Context::~Context() = default;

zmq::context_t& Context::native() const {
  return state_->context;
}

}  // namespace sumac::link
