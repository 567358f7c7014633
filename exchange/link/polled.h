#pragma once

#include <cstddef>

#include <zmq.hpp>

// What the sources of this folder do with ZeroMQ's sockets; not included elsewhere.

namespace sumac::link {

/// When to read a ZeroMQ socket. zmq_poll() asks every socket whenever it is called, two system
/// calls each, ten times as many as the messages of a step need; with this, one poll() is enough.
///
/// The descriptor of a socket is edge-triggered: it tells of commands for the socket, such as "a
/// message has come", and any call of the socket may take them. So a socket is *due* when its
/// descriptor is readable, and from each send on until it was found empty, which rearms the
/// descriptor.
class Polled {
 public:
  /// `socket` is ZeroMQ's handle. A new socket may have messages already. Throws zmq::error_t.
  explicit Polled(void* socket) {
    std::size_t size = sizeof(fd_);
    if (zmq_getsockopt(socket, ZMQ_FD, &fd_, &size) != 0) throw zmq::error_t();
  }

  int fd() const { return fd_; }
  bool isDue() const { return is_due_; }
  /// The descriptor is readable, or another call of the socket than a receive was made.
  void markDue() { is_due_ = true; }
  /// A receive has just found nothing.
  void markEmpty() { is_due_ = false; }

 private:
  int fd_ = -1;
  bool is_due_ = true;
};

}  // namespace sumac::link
