#include "base/core/slot.h"

#include <ios>

namespace sumac {

std::string_view toString(Role role) {
  return role == Role::kServer ? "server" : "worker";
}

std::string toString(Slot slot) {
  return std::string(toString(slot.role)) + " " + std::to_string(slot.index);
}

std::vector<Slot> slotsOf(int servers, int workers) {
  std::vector<Slot> slots;
  for (int i = 0; i < servers; ++i)
    slots.push_back({Role::kServer, i});
  for (int i = 0; i < workers; ++i)
    slots.push_back({Role::kWorker, i});
  return slots;
}

std::ostream& operator<<(std::ostream& out, Slot slot) {
  return out << toString(slot);
}

std::ostream& operator<<(std::ostream& out, const Member& member) {
  return out << member.slot << '/' << std::hex << member.incarnation << std::dec;
}

}  // namespace sumac
