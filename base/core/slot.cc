#include "base/core/slot.h"

#include <ios>

namespace sumac {

std::string_view toString(Role role) {
  return role == Role::kServer ? "server" : "worker";
}

std::ostream& operator<<(std::ostream& out, Role role) {
  return out << toString(role);
}

std::string toString(Slot slot) {
  return std::string(toString(slot.role)) + " " + std::to_string(slot.index);
}

std::ostream& operator<<(std::ostream& out, Slot slot) {
  return out << toString(slot);
}

std::ostream& operator<<(std::ostream& out, const Member& member) {
  return out << member.slot << '/' << std::hex << member.incarnation << std::dec;
}

}  // namespace sumac
