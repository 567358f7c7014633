#include "common/membership/roster.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace sumac {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxRoster = 64UL * 1024;
constexpr std::size_t kMaxMembers = 4096;

Error malformed(const std::string& what) {
  return {ErrorCode::kInvalid, "the roster is malformed: " + what};
}

int count(const std::vector<RosterEntry>& members, Role role) {
  return static_cast<int>(
      std::count_if(members.begin(), members.end(),
                    [&](const RosterEntry& entry) { return entry.member.slot.role == role; }));
}

template <typename T>
bool read(const json& value, T& out) {
  if (!value.is_number_unsigned()) return false;
  const auto number = value.get<std::uint64_t>();
  out = static_cast<T>(number);
  return static_cast<std::uint64_t>(out) == number && out >= T{0};
}

// ["w", 3, 1234, "tcp://..."]: short, so that 1,000 members fit 64 KiB.
Result<RosterEntry> entryFrom(const json& value) {
  if (!value.is_array() || value.size() != 4) return malformed("an entry must have four fields");
  RosterEntry entry;
  if (value[0] != "w" && value[0] != "s") return malformed("a role is neither w nor s");
  entry.member.slot.role = value[0] == "w" ? Role::kWorker : Role::kServer;
  if (!read(value[1], entry.member.slot.index) || entry.member.slot.index > kLargestIndex) {
    return malformed("an index is not a number from 0 to " + std::to_string(kLargestIndex));
  }
  if (!read(value[2], entry.member.incarnation) || entry.member.incarnation == 0) {
    return malformed("an incarnation is not a positive number");
  }
  if (!value[3].is_string()) return malformed("an endpoint is not a string");
  entry.endpoint = value[3].get<std::string>();
  return entry;
}

Result<void> checkMembers(const std::vector<RosterEntry>& members) {
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (members[i - 1].member.slot >= members[i].member.slot) {
      return malformed("its members are not in the order of their slots");
    }
  }
  if (count(members, Role::kWorker) == 0) return malformed("it has no worker");
  return {};
}

}  // namespace

int Roster::workers() const {
  return count(members, Role::kWorker);
}

int Roster::servers() const {
  return count(members, Role::kServer);
}

int Roster::positionOf(const Member& worker) const {
  int position = 0;
  for (const RosterEntry& entry : members) {
    if (entry.member.slot.role != Role::kWorker) continue;
    if (entry.member == worker) return position;
    ++position;
  }
  return -1;
}

const RosterEntry* Roster::find(Slot slot) const {
  const auto found = std::find_if(members.begin(), members.end(), [&](const RosterEntry& entry) {
    return entry.member.slot == slot;
  });
  return found == members.end() ? nullptr : &*found;
}

std::string toJson(const Roster& roster) {
  json members = json::array();
  for (const RosterEntry& entry : roster.members) {
    members.push_back({entry.member.slot.role == Role::kWorker ? "w" : "s",
                       static_cast<unsigned>(entry.member.slot.index), entry.member.incarnation,
                       entry.endpoint});
  }
  const json document = {
      {"term", roster.order.term},     {"generation", roster.order.generation},
      {"members", std::move(members)}, {"startStep", static_cast<std::uint64_t>(roster.start_step)},
      {"kernels", roster.kernels},     {"vocabulary", static_cast<unsigned>(roster.vocabulary)}};
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Roster> rosterFromJson(std::string_view text) {
  if (text.size() > kMaxRoster) return malformed("it is longer than 64 KiB");
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return malformed("not a JSON object");
  Roster roster;
  for (const char* key : {"term", "generation", "members", "startStep", "kernels", "vocabulary"}) {
    if (!document.contains(key)) return malformed(std::string("it lacks ") + key);
  }
  if (!read(document["term"], roster.order.term) ||
      !read(document["generation"], roster.order.generation) ||
      !read(document["startStep"], roster.start_step)) {
    return malformed("term, generation or startStep is not a number");
  }
  if (!read(document["vocabulary"], roster.vocabulary) || roster.vocabulary > kLargestVocabulary) {
    return malformed("vocabulary is not a number of words");
  }
  if (!document["kernels"].is_string()) return malformed("kernels is not a string");
  roster.kernels = document["kernels"].get<std::string>();
  const json& members = document["members"];
  if (!members.is_array() || members.size() > kMaxMembers)
    return malformed("members is not a list");
  for (const json& value : members) {
    Result<RosterEntry> entry = entryFrom(value);
    if (!entry) return entry.error();
    roster.members.push_back(std::move(*entry));
  }
  if (Result<void> checked = checkMembers(roster.members); !checked) return checked.error();
  return roster;
}

}  // namespace sumac
