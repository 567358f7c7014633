// Messages, and the keys of those who send them.
#include <algorithm>
#include <map>
#include <string>

#include "base/keys/job_keys.h"
#include "base/keys/key_pair.h"
#include "exchange/membership/join_request.h"
#include "exchange/membership/roster.h"
#include "exchange/wire/codec.h"
#include "exchange/wire/suspect.h"
#include "exchange/wire/zero_blocks.h"
#include "tests/fuzz/seeds/corpus.h"

namespace sumac::fuzz {
namespace {

Roster someRoster(int workers, int servers) {
  Roster roster;
  roster.order = {1, 2};
  for (int i = 0; i < servers; ++i)
    roster.members.push_back({{{Role::kServer, i}, 200U + static_cast<Incarnation>(i)},
                              "tcp://10.0.0." + std::to_string(i) + ":7070"});
  for (int i = 0; i < workers; ++i)
    roster.members.push_back({{{Role::kWorker, i}, 100U + static_cast<Incarnation>(i)}, ""});
  roster.start_step = 500;
  roster.kernels = "avx2";
  roster.shards = ShardMap::ofOwners(ExchangeMethod::kServers, {0, 0, servers - 1});
  return roster;
}

void addMembership(const Corpus& corpus) {
  corpus.add("roster", "one_worker.json", toJson(someRoster(1, 1)));
  corpus.add("roster", "three_workers_two_servers.json", toJson(someRoster(3, 2)));
  Roster changed = someRoster(4, 1);
  changed.writer = {Role::kWorker, 2};
  changed.evaluated = 400;
  changed.sources = {{{Role::kWorker, 0}, {Role::kWorker, 2}},
                     {{Role::kWorker, 1}, {Role::kWorker, 0}},
                     {{Role::kWorker, 3}, {Role::kWorker, 2}}};
  corpus.add("roster", "changed_members.json", toJson(changed));
  Roster text = someRoster(2, 1);
  text.size = kLargestSize;
  corpus.add("roster", "largest_size.json", toJson(text));
  Roster chosen = someRoster(2, 0);
  chosen.shards = ShardMap::ofOwners(ExchangeMethod::kDirect, {0, 0, 0});
  chosen.choice = MethodChoice{
      .links = 1,
      .predicted = {{ExchangeMethod::kDirect, 0.5}, {ExchangeMethod::kScatterGather, 0.75}}};
  corpus.add("roster", "chosen_algorithm.json", toJson(chosen));
  JoinRequest worker;
  worker.plan_text = "batchSize=64\nlogicalWorkers=4\nmodel=ab12\n";
  worker.kernels = {"baseline", "avx2"};
  worker.newest_checkpoint = 500;
  worker.size = 10'000;
  worker.description = "Intel(R) Xeon(R), 0.1.0";
  worker.add_rate = 20'000'000'000;
  worker.algorithm = "halvingDoubling";
  worker.steps = 2000;
  corpus.add("joinRequest", "worker.json", toJson(worker));
  worker.followed = Followed{.order = {1, 2},
                             .members = {},
                             .kernels = "avx2",
                             .evaluated = 400,
                             .has_halted = true,
                             .done = 512};
  for (const RosterEntry& entry : someRoster(3, 2).members)
    worker.followed->members.push_back(entry.member);
  corpus.add("joinRequest", "followed.json", toJson(worker));
  JoinRequest server;
  server.plan_text = "batchSize=64\n";
  server.endpoint = "tcp://10.0.0.1:7070";
  corpus.add("joinRequest", "server.json", toJson(server));
}

wire::Header someHeader(wire::MessageType type) {
  wire::Header header;
  header.type = type;
  header.job = 0x0123456789ABCDEF;
  header.term = 1;
  header.generation = 2;
  header.sender = {{Role::kWorker, 3}, 0xFEDCBA9876543210};
  header.sequence = 7;
  header.acknowledged = 4096;
  header.connection = 1;
  header.step = 42;
  return header;
}

Bytes framed(BytesView frame, BytesView payload) {
  const auto length = static_cast<std::byte>(frame.size() % 256);
  return concatenated({BytesView(&length, 1), frame, payload});
}

void addHeaders(const Corpus& corpus) {
  const Bytes values(16, std::byte{0x3F});
  for (int number = 1; number <= static_cast<int>(wire::MessageType::kSuspect); ++number) {
    const auto type = static_cast<wire::MessageType>(number);
    if (wire::toString(type) == "unknown") continue;  // of a version that is gone
    wire::Header header = someHeader(type);
    Bytes payload;
    if (type == wire::MessageType::kPush || type == wire::MessageType::kSum ||
        type == wire::MessageType::kTotal || type == wire::MessageType::kState) {
      payload = values;
      header.range = 5;
      header.first = 1000;
      header.count = 4;
      header.node = {2, 4};
    } else if (type == wire::MessageType::kRoster) {
      payload = bytesOf(toJson(someRoster(2, 1)));
    } else if (type == wire::MessageType::kSuspect) {
      wire::setSuspect(header, {Role::kWorker, 5});
    } else if (type == wire::MessageType::kAbort) {
      payload = bytesOf("lost worker 3");
      header.value = 1;
    }
    const auto frame = wire::encode(header, payload);
    corpus.add("header", std::string(wire::toString(type)), framed(frame, payload));
  }
  wire::Header coded = someHeader(wire::MessageType::kSum);
  coded.count = 8;
  coded.codec = Codec::kBf16;
  corpus.add("header", "sum_bf16", framed(wire::encode(coded, values), values));
  Bytes few(256);
  few[40] = std::byte{1};
  const Bytes sparse = wire::withoutZeroBlocks(few).value();
  coded.count = 64;
  coded.codec = Codec::kFp32;
  coded.is_sparse = true;
  corpus.add("header", "sum_without_zeros", framed(wire::encode(coded, sparse), sparse));
  const auto frame = wire::encode(someHeader(wire::MessageType::kHeartbeat), {});
  const Bytes good(frame.begin(), frame.end());
  corpus.add("header", "one_byte_short", framed(firstOf(good, 127), {}));
  corpus.add("header", "payload_that_the_header_has_not", framed(good, values));
  Bytes longer = good;
  longer.resize(wire::kMaxHeaderSize);
  corpus.add("header", "fields_of_a_later_minor_version", framed(longer, {}));
  for (const auto& [name, at] :
       std::map<std::string, std::size_t>{{"bad_magic", 0},
                                          {"other_major_version", 4},
                                          {"unknown_type", 7},
                                          {"unknown_role", 23},
                                          {"negative_step", 63},
                                          {"node_beyond_the_most_parts", 103},
                                          {"unknown_element", 84},
                                          {"bad_checksum", 124}}) {
    Bytes changed = good;
    changed[at] = std::byte{0xFF};
    corpus.add("header", name, framed(changed, {}));
  }
  Bytes nobody = good;
  std::fill_n(nobody.begin() + 24, 8, std::byte{0});
  corpus.add("header", "no_incarnation", framed(nobody, {}));
}

void addKeys(const Corpus& corpus) {
  std::string all;
  std::map<std::string, std::string> private_text;
  for (const auto& [name, first] :
       std::map<std::string, int>{{"server-0", 1}, {"worker-0", 2}, {"worker-4095", 3}}) {
    Bytes bytes(kKeySize, static_cast<std::byte>(first));
    const PrivateKey key(bytes);
    private_text[name] = key.text();
    all += name + " " + toText(publicKeyOf(key)) + "\n";
  }
  const std::string& own = private_text["worker-0"];
  corpus.add("keys", "worker_0", own + "\n" + all);
  corpus.add("keys", "server_0", private_text["server-0"] + "\n" + all);
  corpus.add("keys", "no_end_of_line", own + "\n" + all.substr(0, all.size() - 1));
  corpus.add("keys", "slot_twice", own + "\n" + all + all);
  corpus.add("keys", "empty_line", own + "\n\n" + all);
  corpus.add("keys", "cut_key", own + "\n" + all.substr(0, all.size() - 2));
  corpus.add("keys", "key_of_another_slot", private_text["worker-4095"] + "\n" + all);
  corpus.add("keys", "slot_beyond_the_most", own + "\n" + all + "worker-4096 " + own + "\n");
  corpus.add("keys", "zero_before_the_index", own + "\nworker-00 " + own + "\n");
  corpus.add("keys", "group_beyond_32_bits", std::string(kKeyTextLength, '#') + "\n" + all);
}

}  // namespace

void addMessages(const Corpus& corpus) {
  addMembership(corpus);
  addHeaders(corpus);
  addKeys(corpus);
}

}  // namespace sumac::fuzz
