#include "exchange/membership/roster.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace sumac {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxRoster = 64UL * 1024;
constexpr std::size_t kMaxMembers = 4096;
constexpr std::uint32_t kMaxRanges = 1U << 20U;

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

/// How the owners are named: by role, or by the method.
std::string_view sumsBy(ExchangeMethod method) {
  if (method == ExchangeMethod::kServers) return toString(Role::kServer);
  if (method == ExchangeMethod::kScatterGather) return toString(Role::kWorker);
  return toString(method);
}

// {"by": "server", "owners": [[0, 17], [1, 16]]}: each owner and how many ranges follow that are
// its own. {"by": "direct", "owners": [[0, 33]]}: all of them, everywhere.
json toJson(const ShardMap& shards) {
  json runs = json::array();
  for (const int owner : shards.owners()) {
    if (!runs.empty() && runs.back()[0] == owner) {
      runs.back()[1] = runs.back()[1].get<std::uint32_t>() + 1;
    } else {
      runs.push_back({static_cast<unsigned>(owner), 1U});
    }
  }
  return {{"by", sumsBy(shards.method())}, {"owners", std::move(runs)}};
}

Result<ShardMap> shardsFrom(const json& value) {
  if (!value.is_object() || !value.contains("by") || !value.contains("owners") ||
      !value["owners"].is_array()) {
    return malformed("shards is not an object with by and owners");
  }
  std::vector<int> owners;
  for (const json& run : value["owners"]) {
    int owner = 0;
    std::uint32_t ranges = 0;
    if (!run.is_array() || run.size() != 2 || !read(run[0], owner) || owner > kLargestIndex ||
        !read(run[1], ranges) || ranges == 0 || ranges > kMaxRanges - owners.size()) {
      return malformed("an owner of ranges is not a pair of an index and a number");
    }
    owners.insert(owners.end(), ranges, owner);
  }
  for (const ExchangeMethod method :
       {ExchangeMethod::kServers, ExchangeMethod::kScatterGather, ExchangeMethod::kDirect,
        ExchangeMethod::kHalvingDoubling, ExchangeMethod::kRing}) {
    if (value["by"] == sumsBy(method)) return ShardMap::ofOwners(method, std::move(owners));
  }
  return malformed("shards are summed by neither server, worker, direct, halvingDoubling nor ring");
}

// {"resumed": false, "links": 3, "costs": [4e-05, 5e-06, 1e-09, 1e-10],
// "seconds": {"direct": 0.0002, "scatterGather": 0.0003}}
json toJson(const MethodChoice& choice) {
  json seconds = json::object();
  for (const MethodCost& one : choice.predicted)
    seconds[std::string(toString(one.method))] = one.seconds;
  const ExchangeCosts& costs = choice.costs;
  return {{"resumed", choice.is_resumed},
          {"links", static_cast<unsigned>(choice.links)},
          {"costs", {costs.hop, costs.message, costs.byte, costs.add}},
          {"seconds", std::move(seconds)}};
}

bool isDuration(const json& value) {
  return value.is_number() && value.get<double>() >= 0;
}

/// For people only: what is trained does not depend on it.
Result<MethodChoice> choiceFrom(const json& value, ExchangeMethod method) {
  const Error wrong = malformed("auto is not how an algorithm was chosen");
  if (method == ExchangeMethod::kServers || method == ExchangeMethod::kRing) return wrong;
  MethodChoice choice;
  choice.method = method;
  if (!value.is_object() || !value.contains("resumed") || !value["resumed"].is_boolean() ||
      !value.contains("links") || !read(value["links"], choice.links) ||
      choice.links > kLargestIndex || !value.contains("costs") || !value.contains("seconds")) {
    return wrong;
  }
  choice.is_resumed = value["resumed"].get<bool>();
  const json& costs = value["costs"];
  if (!costs.is_array() || costs.size() != 4 || !std::ranges::all_of(costs, isDuration))
    return wrong;
  choice.costs = {costs[0].get<double>(), costs[1].get<double>(), costs[2].get<double>(),
                  costs[3].get<double>()};
  const json& seconds = value["seconds"];
  if (!seconds.is_object()) return wrong;
  for (const ExchangeMethod possible : {ExchangeMethod::kDirect, ExchangeMethod::kScatterGather,
                                        ExchangeMethod::kHalvingDoubling}) {
    const auto found = seconds.find(std::string(toString(possible)));
    if (found == seconds.end()) continue;
    if (!isDuration(*found)) return wrong;
    choice.predicted.push_back({possible, found->get<double>()});
  }
  return choice;
}

/// Who sums must be there, and the method must be one for them.
Result<void> checkOwners(const Roster& roster) {
  if (roster.shards.isDirect()) return {};
  const bool halves = roster.shards.method() == ExchangeMethod::kHalvingDoubling;
  if (halves && !std::has_single_bit(static_cast<unsigned>(roster.workers())))
    return malformed("its number of workers cannot be halved down to one");
  const std::vector<int>& owners = roster.shards.owners();
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const bool is_checked = i > 0 && owners[i] == owners[i - 1];
    if (!is_checked && roster.find({roster.shards.role(), owners[i]}) == nullptr) {
      return malformed("an owner of ranges is no member");
    }
  }
  return {};
}

json indexOf(Slot worker) {
  return static_cast<unsigned>(worker.index);
}

/// Chains of workers: in [[0, 2, 3]] worker 0 has the state, and 2 passes on to 3 what comes.
json sourcesJson(const Roster& roster) {
  std::multimap<Slot, Slot> receivers;  // by source
  for (const auto& [receiver, source] : roster.sources)
    receivers.emplace(source, receiver);
  json chains = json::array();
  while (!receivers.empty()) {
    auto next = receivers.begin();
    json chain = json::array({indexOf(next->first)});
    while (next != receivers.end()) {
      const Slot receiver = next->second;
      chain.push_back(indexOf(receiver));
      receivers.erase(next);
      next = receivers.find(receiver);
    }
    chains.push_back(std::move(chain));
  }
  return chains;
}

Result<void> readSources(const json& chains, Roster& roster) {
  const Error wrong = malformed("sources are not chains of workers that begin with one's state");
  if (!chains.is_array()) return wrong;
  for (const json& chain : chains) {
    std::optional<Slot> source;
    if (!chain.is_array()) return wrong;
    for (const json& index : chain) {
      Slot worker{Role::kWorker, 0};
      if (!read(index, worker.index) || roster.find(worker) == nullptr) return wrong;
      if (source && !roster.sources.emplace(worker, *source).second) return wrong;
      source = worker;
    }
  }
  for (const auto& [receiver, source] : roster.sources) {
    Slot at = source;
    for (std::size_t i = 0; i < roster.sources.size() && roster.sources.contains(at); ++i)
      at = roster.sources.at(at);
    if (roster.sources.contains(at)) return wrong;
  }
  return {};
}

Result<void> readState(const json& document, Roster& roster) {
  if (!read(document["writer"], roster.writer.index) || roster.find(roster.writer) == nullptr)
    return malformed("its writer is no member");
  if (!read(document["evaluated"], roster.evaluated)) return malformed("evaluated is not a step");
  return readSources(document["sources"], roster);
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

std::vector<Slot> Roster::workerSlots() const {
  std::vector<Slot> slots;
  for (const RosterEntry& entry : members) {
    if (entry.member.slot.role == Role::kWorker) slots.push_back(entry.member.slot);
  }
  return slots;
}

const RosterEntry* Roster::find(Slot slot) const {
  const auto found = std::find_if(members.begin(), members.end(), [&](const RosterEntry& entry) {
    return entry.member.slot == slot;
  });
  return found == members.end() ? nullptr : &*found;
}

bool Roster::areSourceAndReceiver(Slot a, Slot b) const {
  const auto sends = [this](Slot from, Slot to) {
    const auto found = sources.find(to);
    return found != sources.end() && found->second == from;
  };
  return sends(a, b) || sends(b, a);
}

std::string toJson(const Roster& roster) {
  json members = json::array();
  for (const RosterEntry& entry : roster.members) {
    members.push_back({entry.member.slot.role == Role::kWorker ? "w" : "s",
                       static_cast<unsigned>(entry.member.slot.index), entry.member.incarnation,
                       entry.endpoint});
  }
  json document = {{"term", roster.order.term},
                   {"generation", roster.order.generation},
                   {"members", std::move(members)},
                   {"startStep", static_cast<std::uint64_t>(roster.start_step)},
                   {"kernels", roster.kernels},
                   {"size", static_cast<std::uint64_t>(roster.size)},
                   {"shards", toJson(roster.shards)},
                   {"writer", static_cast<unsigned>(roster.writer.index)},
                   {"evaluated", static_cast<std::uint64_t>(roster.evaluated)},
                   {"sources", sourcesJson(roster)}};
  if (roster.choice) document["auto"] = toJson(*roster.choice);
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Roster> rosterFromJson(std::string_view text) {
  if (text.size() > kMaxRoster) return malformed("it is longer than 64 KiB");
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return malformed("not a JSON object");
  Roster roster;
  for (const char* key : {"term", "generation", "members", "startStep", "kernels", "size", "shards",
                          "writer", "evaluated", "sources"}) {
    if (!document.contains(key)) return malformed(std::string("it lacks ") + key);
  }
  if (!read(document["term"], roster.order.term) ||
      !read(document["generation"], roster.order.generation) ||
      !read(document["startStep"], roster.start_step)) {
    return malformed("term, generation or startStep is not a number");
  }
  if (!read(document["size"], roster.size) || roster.size > kLargestSize)
    return malformed("size is not a number of words or values");
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
  Result<ShardMap> shards = shardsFrom(document["shards"]);
  if (!shards) return shards.error();
  roster.shards = std::move(*shards);
  if (Result<void> checked = checkOwners(roster); !checked) return checked.error();
  if (Result<void> checked = readState(document, roster); !checked) return checked.error();
  if (document.contains("auto")) {
    auto choice = choiceFrom(document["auto"], roster.shards.method());
    if (!choice) return choice.error();
    roster.choice = *std::move(choice);
  }
  return roster;
}

}  // namespace sumac
