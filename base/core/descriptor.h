#pragma once

namespace sumac {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  /// Takes `fd` over; -1: none.
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// Gives it up without closing it.
  int release();
  /// Closes it now.
  void reset();

 private:
  int fd_ = -1;
};

}  // namespace sumac
