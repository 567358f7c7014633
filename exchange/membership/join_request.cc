#include "exchange/membership/join_request.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "base/core/bytes.h"
#include "base/core/sha256.h"

namespace sumac {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxJoinRequest = 64UL * 1024;
constexpr int kMaxDifferences = 3;
constexpr std::size_t kMaxEndpoint = 300;  // a host name has at most 253 characters

std::map<std::string, std::string> linesOf(std::string_view text) {
  std::map<std::string, std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty()) continue;
    const std::size_t equals = std::min(line.find('='), line.size());
    lines[std::string(line.substr(0, equals))] =
        std::string(line.substr(std::min(line.size(), equals + 1)));
  }
  return lines;
}

std::string valueIn(const std::map<std::string, std::string>& lines, const std::string& key) {
  const auto found = lines.find(key);
  return found == lines.end() ? "none" : found->second;
}

std::optional<RosterOrder> orderFrom(const json& value) {
  if (!value.is_array() || value.size() != 2) return std::nullopt;
  for (const json& number : value) {
    if (!number.is_number_unsigned() || number > kMostTerm) return std::nullopt;
  }
  return RosterOrder{value[0].get<std::uint32_t>(), value[1].get<std::uint32_t>()};
}

/// For a message: what a member sent, or a file holds, may be long and have any bytes.
std::string shown(std::string text) {
  constexpr std::size_t kLongest = 80;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

// {"order": [1, 7], "members": [["w", 0, 1234]], "kernels": "avx2", "evaluated": 400,
// "halted": true, "done": 512}
json toJson(const Followed& followed) {
  json members = json::array();
  for (const auto& [slot, incarnation] : followed.members) {
    members.push_back(
        {slot.role == Role::kWorker ? "w" : "s", static_cast<unsigned>(slot.index), incarnation});
  }
  json document = {{"order", {followed.order.term, followed.order.generation}},
                   {"members", std::move(members)},
                   {"kernels", followed.kernels},
                   {"evaluated", static_cast<std::uint64_t>(followed.evaluated)},
                   {"halted", followed.has_halted}};
  if (followed.done) document["done"] = static_cast<std::uint64_t>(*followed.done);
  return document;
}

std::optional<Member> memberFrom(const json& value) {
  if (!value.is_array() || value.size() != 3 || (value[0] != "w" && value[0] != "s")) return {};
  if (!value[1].is_number_unsigned() || value[1] > static_cast<unsigned>(kLargestIndex)) return {};
  if (!value[2].is_number_unsigned() || value[2] == 0U) return {};
  return Member{{value[0] == "w" ? Role::kWorker : Role::kServer, value[1].get<int>()},
                value[2].get<Incarnation>()};
}

std::optional<Step> stepFrom(const json& value) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53U;
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMost) return std::nullopt;
  return value.get<Step>();
}

std::optional<Followed> followedFrom(const json& value) {
  Followed followed;
  const auto order = orderFrom(value.at("order"));
  if (!order) return std::nullopt;
  followed.order = *order;
  for (const json& one : value.at("members")) {
    const auto member = memberFrom(one);
    if (!member) return std::nullopt;
    followed.members.push_back(*member);
  }
  value.at("kernels").get_to(followed.kernels);
  const auto evaluated = stepFrom(value.at("evaluated"));
  if (!evaluated) return std::nullopt;
  followed.evaluated = *evaluated;
  value.at("halted").get_to(followed.has_halted);
  if (!value.contains("done")) return followed;
  followed.done = stepFrom(value["done"]);
  return followed.done ? std::optional(followed) : std::nullopt;
}

/// Of a member without a limit, as of earlier versions, there is nothing.
bool readMemory(const json& document, JoinRequest& request) {
  if (!document.contains("memoryLimit")) return true;
  const json& limit = document["memoryLimit"];
  if (!limit.is_number_unsigned()) return false;
  request.memory_limit = limit.get<std::uint64_t>();
  const json& needs = document.at("memoryNeeds");
  if (!needs.is_array()) return false;
  return std::ranges::all_of(needs, [&](const json& one) {
    if (!one.is_array() || one.size() != 2) return false;
    const json& workers = one[0];
    if (!workers.is_number_unsigned() || workers == 0U || workers > kLargestIndex + 1U)
      return false;
    if (!one[1].is_number_unsigned()) return false;
    request.memory_needs[workers.get<int>()] = one[1].get<std::uint64_t>();
    return true;
  });
}

}  // namespace

std::string toJson(const JoinRequest& request) {
  json document = {{"plan", request.plan_text},
                   {"kernels", request.kernels},
                   {"endpoint", request.endpoint},
                   {"newestCheckpoint", request.newest_checkpoint},
                   {"steps", static_cast<std::uint64_t>(request.steps)},
                   {"size", static_cast<std::uint64_t>(request.size)},
                   {"description", request.description},
                   {"addRate", request.add_rate},
                   {"algorithm", request.algorithm}};
  if (request.followed) document["followed"] = toJson(*request.followed);
  if (request.volume) document["volume"] = {request.volume->term, request.volume->generation};
  if (request.lacks_checkpoints) document["lacksCheckpoints"] = true;
  if (request.memory_limit) {
    document["memoryLimit"] = *request.memory_limit;
    document["memoryNeeds"] = json::array();
    for (const auto& [workers, bytes] : request.memory_needs)
      document["memoryNeeds"].push_back({static_cast<unsigned>(workers), bytes});
  }
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<JoinRequest> joinRequestFromJson(std::string_view text) {
  const Error malformed{ErrorCode::kInvalid, "the request to join is malformed"};
  if (text.size() > kMaxJoinRequest) return malformed;
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return malformed;
  JoinRequest request;
  try {
    document.at("plan").get_to(request.plan_text);
    document.at("kernels").get_to(request.kernels);
    document.at("endpoint").get_to(request.endpoint);
    document.at("description").get_to(request.description);
    const json& checkpoint = document.at("newestCheckpoint");
    if (!checkpoint.is_number_integer()) return malformed;
    checkpoint.get_to(request.newest_checkpoint);
    const auto steps = stepFrom(document.at("steps"));
    if (!steps) return malformed;
    request.steps = *steps;
    const json& size = document.at("size");
    if (!size.is_number_unsigned() || size > kLargestSize) return malformed;
    size.get_to(request.size);
    const json& add_rate = document.at("addRate");
    if (!add_rate.is_number_unsigned()) return malformed;
    add_rate.get_to(request.add_rate);
    document.at("algorithm").get_to(request.algorithm);
    if (document.contains("followed")) {
      request.followed = followedFrom(document["followed"]);
      if (!request.followed) return malformed;
    }
    if (document.contains("volume")) {
      request.volume = orderFrom(document["volume"]);
      if (!request.volume) return malformed;
    }
    request.lacks_checkpoints = document.value("lacksCheckpoints", false);
    if (!readMemory(document, request)) return malformed;
  } catch (const json::exception&) {
    return malformed;
  }
  if (request.newest_checkpoint < 0 || request.endpoint.size() > kMaxEndpoint) return malformed;
  return request;
}

std::uint64_t planHash(std::string_view plan_text) {
  return loadLittleEndian<std::uint64_t>(sha256(asBytes(plan_text)).data());
}

std::string planDifference(std::string_view job, std::string_view found, std::string_view who,
                           bool all, std::string_view whose) {
  const auto wanted = linesOf(job);
  const auto has = linesOf(found);
  std::map<std::string, std::string> keys = wanted;
  if (all) keys.insert(has.begin(), has.end());
  std::string text;
  int differences = 0;
  for (const auto& [key, value] : keys) {
    const std::string ours = valueIn(wanted, key);
    const std::string theirs = valueIn(has, key);
    if (ours == theirs || ++differences > kMaxDifferences) continue;
    if (!text.empty()) text += "; ";
    text += shown(key) + ": " + std::string(who) + " has " + shown(theirs) + ", " +
            std::string(whose) + " has " + shown(ours);
  }
  if (differences > kMaxDifferences)
    text += "; and " + std::to_string(differences - kMaxDifferences) + " more";
  return text;
}

}  // namespace sumac
