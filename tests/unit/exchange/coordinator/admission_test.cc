#include "exchange/coordinator/admission.h"

#include <boost/test/unit_test.hpp>

namespace sumac::admission_test {

namespace {

using Verdict = Admission::Verdict;

struct Fixture {
  Admission admission{{RosterEntry{{{Role::kServer, 0}, 1}, "tcp://a:1"}, "parts=4\n", planOf,
                       ExchangeMethod::kServers, 2, 2}};

  /// Words change the plan; more than 9 have no network.
  static Result<SumPlan> planOf(std::int64_t size) {
    if (size > 9) return Error{ErrorCode::kInvalid, "too many words"};
    const std::int64_t values = 100 * (size + 1);
    const std::string words = "values=" + std::to_string(100 * size) + "\n";
    return SumPlan{makeExchangePlan(std::vector{values}, /*parts=*/4),
                   "parts=4\n" + (size == 0 ? "" : words)};
  }

  static Admission changing(MostMembers most) {
    return Admission{{RosterEntry{{{Role::kServer, 0}, 1}, "tcp://a:1"}, "parts=4\n", planOf,
                      ExchangeMethod::kServers, 2, 2, most}};
  }

  Verdict worker(int index, Incarnation incarnation, const std::string& plan = "parts=4\nseed=1\n",
                 std::vector<std::string> kernels = {"baseline", "avx2"}, Step checkpoint = 0) {
    JoinRequest request;
    request.plan_text = plan;
    request.kernels = std::move(kernels);
    request.newest_checkpoint = checkpoint;
    request.size = size;
    request.endpoint = endpoint;
    request.add_rate = add_rate;
    request.algorithm = algorithm;
    request.steps = steps;
    request.followed = followed;
    const Admission::Outcome outcome =
        admission.join({{Role::kWorker, index}, incarnation}, planHash(plan), toJson(request));
    text = outcome.text;
    superseded = outcome.superseded;
    if (outcome.verdict == Verdict::kComplete) admission.issue(links);
    return outcome.verdict;
  }
  Verdict server(int index, const std::string& plan = "parts=4\n") {
    JoinRequest request;
    request.plan_text = plan;
    request.endpoint = "tcp://b:1";
    const Admission::Outcome outcome =
        admission.join({{Role::kServer, index}, 50}, planHash(plan), toJson(request));
    text = outcome.text;
    if (outcome.verdict == Verdict::kComplete) admission.issue(links);
    return outcome.verdict;
  }

  std::string text;
  std::optional<Member> superseded;
  std::int64_t size = 0;  // that workers state
  std::string endpoint;   // the same
  std::uint64_t add_rate = 0;
  std::string algorithm;
  Step steps = 0;
  std::optional<Followed> followed;
  std::vector<ExchangeCosts> links;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(admission_, Fixture)

BOOST_AUTO_TEST_CASE(the_first_roster_stands_when_the_last_slot_is_taken) {
  BOOST_TEST((worker(1, 11) == Verdict::kWaiting));
  BOOST_TEST((server(1) == Verdict::kWaiting));
  BOOST_TEST(!admission.started());
  BOOST_TEST((worker(0, 10) == Verdict::kComplete));
  const Roster& roster = admission.roster();
  BOOST_TEST((roster.order == RosterOrder{1, 1}));
  BOOST_TEST_REQUIRE(roster.members.size() == 4U);
  BOOST_TEST(roster.members[1].endpoint == "tcp://b:1");
  BOOST_TEST(roster.positionOf({{Role::kWorker, 1}, 11}) == 1);
  BOOST_TEST(rosterFromJson(toJson(roster)).has_value());
}

BOOST_AUTO_TEST_CASE(kernels_are_the_best_that_all_workers_have) {
  server(1);
  worker(0, 10, "parts=4\n", {"baseline", "avx2", "avx512"});
  worker(1, 11, "parts=4\n", {"baseline", "avx2"});
  BOOST_TEST(admission.roster().kernels == "avx2");
}

BOOST_AUTO_TEST_CASE(a_worker_without_a_common_variant_is_refused_by_name) {
  worker(0, 10, "parts=4\n", {"avx512"});
  BOOST_TEST((worker(1, 11, "parts=4\n", {"baseline"}) == Verdict::kRefused));
  BOOST_TEST(text.starts_with("kernels: worker 1 "), text);
}

// Its next process may see another checkpoint.
BOOST_AUTO_TEST_CASE(a_worker_whose_checkpoint_has_another_variant_may_come_again) {
  worker(0, 10, "parts=4\n", {"avx512"});
  BOOST_TEST((worker(1, 11, "parts=4\n", {"baseline"}, 500) == Verdict::kOther));
  BOOST_TEST(text.starts_with("kernels: worker 1 "), text);
}

BOOST_AUTO_TEST_CASE(the_start_is_worker_0s_newest_checkpoint) {
  server(1);
  worker(1, 11, "parts=4\n", {"avx2"}, 900);
  worker(0, 10, "parts=4\n", {"avx2"}, 500);
  BOOST_TEST(admission.roster().start_step == 500);
}

BOOST_AUTO_TEST_CASE(differences_are_refused_and_named) {
  BOOST_TEST((worker(0, 10, "parts=8\n") == Verdict::kRefused));
  BOOST_TEST(text == "parts: worker 0 has 8, the job has 4");
  BOOST_TEST((worker(0, 10) == Verdict::kWaiting));
  BOOST_TEST((worker(1, 11, "parts=4\nseed=2\n") == Verdict::kRefused));
  BOOST_TEST(text == "seed: worker 1 has 2, the job has 1");
  BOOST_TEST((server(1, "parts=4\nmore=1\n") == Verdict::kRefused));
  BOOST_TEST(admission.admitted() == 2U);
}

BOOST_AUTO_TEST_CASE(a_worker_of_another_numerics_number_is_rejected_by_name) {
  const auto plan_of = [](std::int64_t /*size*/) -> Result<SumPlan> {
    return SumPlan{{}, "numerics=1\n"};
  };
  admission = Admission{{RosterEntry{{{Role::kServer, 0}, 1}, "tcp://a:1"}, "numerics=1\n", plan_of,
                         ExchangeMethod::kServers, 2, 2}};
  BOOST_TEST((worker(1, 11, "numerics=2\n") == Verdict::kRefused));
  BOOST_TEST(text == "numerics: worker 1 has 2, the job has 1");
  BOOST_TEST((worker(1, 11, "numerics=1\n") == Verdict::kWaiting));
}

BOOST_AUTO_TEST_CASE(the_first_workers_words_fix_the_plan_and_stand_in_the_roster) {
  size = 6;
  BOOST_TEST((worker(1, 11, "parts=4\nvalues=600\n") == Verdict::kWaiting));
  BOOST_TEST((server(1) == Verdict::kWaiting));  // it does not know them
  BOOST_TEST((worker(0, 10, "parts=4\nvalues=600\n") == Verdict::kComplete));
  BOOST_TEST(admission.roster().size == 6);
}

BOOST_AUTO_TEST_CASE(a_worker_with_other_words_is_refused_by_name) {
  size = 6;
  worker(1, 11, "parts=4\nvalues=600\n");
  size = 7;
  BOOST_TEST((worker(0, 10, "parts=4\nvalues=700\n") == Verdict::kRefused));
  BOOST_TEST(text.starts_with("words or values: worker 0 has 7,"), text);
  BOOST_TEST(text.ends_with(" 6"), text);
}

BOOST_AUTO_TEST_CASE(words_of_a_worker_that_was_refused_fix_nothing) {
  size = 6;
  BOOST_TEST((worker(1, 11, "parts=4\nvalues=700\n") == Verdict::kRefused));
  BOOST_TEST(text == "values: worker 1 has 700, the job has 600");
  size = 10;
  BOOST_TEST((worker(1, 11) == Verdict::kRefused));
  BOOST_TEST(text == "worker 1: too many words");
  size = 5;
  BOOST_TEST((worker(1, 11, "parts=4\nvalues=500\n") == Verdict::kWaiting));
}

BOOST_AUTO_TEST_CASE(without_servers_the_workers_sum_and_have_to_listen) {
  admission = Admission{{std::nullopt, "parts=4\n", planOf, ExchangeMethod::kScatterGather, 2, 0}};
  BOOST_TEST((worker(0, 10) == Verdict::kRefused));
  BOOST_TEST(text.starts_with("worker 0 "), text);
  endpoint = "tcp://w:1";
  BOOST_TEST((worker(0, 10) == Verdict::kWaiting));
  BOOST_TEST((worker(1, 11) == Verdict::kComplete));
  BOOST_TEST((server(0) == Verdict::kRefused));
  const Roster& roster = admission.roster();
  BOOST_TEST(roster.members.at(1).endpoint == "tcp://w:1");
  BOOST_TEST((roster.shards.role() == Role::kWorker));
  BOOST_TEST(!roster.shards.isDirect());
  BOOST_TEST(rosterFromJson(toJson(roster)).has_value());
}

BOOST_AUTO_TEST_CASE(what_a_job_leaves_open_is_chosen_and_the_choice_stands_in_the_roster) {
  admission = Admission{{std::nullopt, "parts=4\n", planOf, std::nullopt, 3, 0}};
  endpoint = "tcp://w:1";
  add_rate = 1'000'000'000;
  links = {{.hop = 1e-6, .message = 0, .byte = 1e-5}};  // bytes are all that counts
  worker(0, 10);
  worker(1, 11);
  worker(2, 12);
  const Roster roster = rosterFromJson(toJson(admission.roster())).value();
  BOOST_TEST((roster.shards.method() == ExchangeMethod::kScatterGather));
  BOOST_TEST_REQUIRE(roster.choice.has_value());
  BOOST_TEST((roster.choice == admission.roster().choice));
  BOOST_TEST(roster.choice->links == 1);
  BOOST_TEST(roster.choice->costs.byte == 1e-5);
  BOOST_TEST(roster.choice->costs.add == 1e-9);
  BOOST_TEST(roster.choice->predicted.size() == 2U);
}

BOOST_AUTO_TEST_CASE(worker_0s_checkpoint_keeps_its_algorithm) {
  admission = Admission{{std::nullopt, "parts=4\n", planOf, std::nullopt, 2, 0}};
  endpoint = "tcp://w:1";
  algorithm = "direct";  // of another checkpoint
  worker(1, 11);
  algorithm = "scatterGather";
  worker(0, 10);
  BOOST_TEST((admission.roster().shards.method() == ExchangeMethod::kScatterGather));
  BOOST_TEST(admission.roster().choice->is_resumed);
}

BOOST_AUTO_TEST_CASE(joining_again_changes_no_roster) {
  server(1);
  worker(0, 10);
  BOOST_TEST((worker(0, 10) == Verdict::kWaiting));
  worker(1, 11);
  BOOST_TEST((worker(0, 10) == Verdict::kAgain));
  BOOST_TEST((admission.roster().order == RosterOrder{1, 1}));
  BOOST_TEST(admission.roster().members.size() == 4U);
}

BOOST_AUTO_TEST_CASE(until_the_first_roster_a_slot_is_of_who_joined_last) {
  worker(0, 10);
  BOOST_TEST((worker(0, 99) == Verdict::kWaiting));
  BOOST_TEST(admission.isMember({{Role::kWorker, 0}, 99}));
  BOOST_TEST(admission.isRemoved({{Role::kWorker, 0}, 10}));
  BOOST_TEST((worker(0, 10) == Verdict::kTaken));
  BOOST_TEST(admission.admitted() == 2U);
}

BOOST_AUTO_TEST_CASE(after_the_first_roster_a_second_process_does_not_get_the_slot_of_the_first) {
  worker(0, 10);
  worker(1, 11);
  server(1);
  BOOST_TEST((worker(0, 99) == Verdict::kTaken));
  BOOST_TEST(admission.isMember({{Role::kWorker, 0}, 10}));
}

BOOST_AUTO_TEST_CASE(a_removed_member_makes_room_and_is_not_admitted_again) {
  worker(0, 10);
  admission.remove({Role::kWorker, 0});
  admission.remove({Role::kWorker, 1});  // nobody
  BOOST_TEST(admission.vacantSlots().size() == 3U);
  BOOST_TEST((worker(0, 10) == Verdict::kTaken));
  BOOST_TEST((worker(0, 12) == Verdict::kWaiting));
}

// Its data were wrong, and those of its replacement are not.
BOOST_AUTO_TEST_CASE(where_all_workers_are_gone_the_next_one_states_the_size) {
  size = 3;
  worker(0, 10, "parts=4\nvalues=300\n");
  admission.remove({Role::kWorker, 0});
  size = 5;
  BOOST_TEST((worker(0, 12, "parts=4\nvalues=500\n") == Verdict::kWaiting), text);
}

BOOST_AUTO_TEST_CASE(the_only_worker_may_be_started_again_before_the_servers_have_joined) {
  admission = Admission{{RosterEntry{{{Role::kServer, 0}, 1}, "tcp://a:1"}, "parts=4\n", planOf,
                         ExchangeMethod::kServers, /*workers=*/1, /*servers=*/2}};
  size = 3;
  const std::string plan = "parts=4\nvalues=300\n";
  BOOST_TEST((worker(0, 10, plan) == Verdict::kWaiting));
  BOOST_TEST((worker(0, 11, plan) == Verdict::kWaiting));
  BOOST_TEST(superseded.value().incarnation == 10U);
  BOOST_TEST((server(1) == Verdict::kComplete));
  BOOST_TEST(admission.roster().has({{Role::kWorker, 0}, 11}));
  BOOST_TEST(admission.roster().size == 3);
}

BOOST_AUTO_TEST_CASE(where_members_change_a_job_grows_up_to_the_most_that_it_may_have) {
  admission = changing({.workers = 3, .servers = 3});
  server(1);
  BOOST_TEST((worker(0, 10) == Verdict::kRefused));
  BOOST_TEST(text.starts_with("worker 0 does not listen"), text);
  endpoint = "tcp://w:1";
  worker(0, 10);
  BOOST_TEST((worker(1, 11) == Verdict::kComplete));
  BOOST_TEST((worker(2, 12) == Verdict::kNext));
  BOOST_TEST((server(2) == Verdict::kNext));
  BOOST_TEST((worker(2, 12) == Verdict::kWaiting));  // admitted already
  BOOST_TEST((worker(3, 13) == Verdict::kRefused));
  BOOST_TEST((server(3) == Verdict::kRefused));
  BOOST_TEST(admission.roster().members.size() == 4U);

  admission.issueNext({.start_step = 9,
                       .writer = {Role::kWorker, 1},
                       .evaluated = 6,
                       .sources = {{{Role::kWorker, 2}, {Role::kWorker, 0}}}});
  const Roster& roster = admission.roster();
  BOOST_TEST((roster.order == RosterOrder{1, 2}));
  BOOST_TEST(roster.start_step == 9);
  BOOST_TEST(roster.evaluated == 6);
  BOOST_TEST(roster.writer.index == 1);
  BOOST_TEST(roster.workers() == 3);
  BOOST_TEST(roster.servers() == 3);
  BOOST_TEST(rosterFromJson(toJson(roster)).has_value());
  BOOST_TEST((worker(2, 12) == Verdict::kAgain));
}

BOOST_AUTO_TEST_CASE(where_members_change_a_slot_is_of_who_joined_last) {
  endpoint = "tcp://w:1";
  admission = changing({.workers = 2, .servers = 2});
  server(1);
  worker(0, 10);
  worker(1, 11);
  BOOST_TEST((worker(1, 99) == Verdict::kNext));
  BOOST_TEST(superseded.value().incarnation == 11U);
  BOOST_TEST((worker(1, 11) == Verdict::kTaken));
  admission.remove({Role::kServer, 1});
  admission.issueNext({});
  BOOST_TEST(admission.roster().servers() == 1);
  BOOST_TEST(admission.roster().has({{Role::kWorker, 1}, 99}));
  BOOST_TEST((server(1) == Verdict::kTaken));  // the same process
}

// It was cut off, and wakes up when its slot has another process.
BOOST_AUTO_TEST_CASE(who_has_followed_a_later_roster_keeps_the_slot) {
  endpoint = "tcp://w:1";
  admission = changing({.workers = 2, .servers = 2});
  const auto halted = [this](RosterOrder order) {
    followed = Followed{.order = order,
                        .members = {{{Role::kServer, 1}, 50}},
                        .kernels = "avx2",
                        .has_halted = true,
                        .done = {}};
  };
  halted({3, 5});
  BOOST_TEST((worker(1, 11) == Verdict::kWaiting));
  halted({3, 6});
  BOOST_TEST((worker(1, 12) == Verdict::kWaiting));
  BOOST_TEST(superseded.value().incarnation == 11U);
  halted({3, 5});
  BOOST_TEST((worker(1, 13) == Verdict::kTaken));
  followed.reset();  // started anew
  BOOST_TEST((worker(1, 14) == Verdict::kWaiting));
  server(1);
  worker(0, 10);
  BOOST_TEST_REQUIRE(admission.started());
  halted({3, 6});
  BOOST_TEST((worker(1, 15) == Verdict::kTaken));
  followed.reset();
  BOOST_TEST((worker(1, 16) == Verdict::kNext));
}

// Other kernels, another plan or other words would be other bits.
BOOST_AUTO_TEST_CASE(who_joins_later_computes_as_the_job_does) {
  endpoint = "tcp://w:1";
  admission = changing({.workers = 4, .servers = 2});
  size = 3;
  const std::string plan = "parts=4\nvalues=300\n";
  server(1);
  worker(0, 10, plan, {"baseline", "avx2"});
  worker(1, 11, plan, {"baseline", "avx2", "avx512"});
  BOOST_TEST((worker(2, 12, plan, {"baseline"}) == Verdict::kRefused));
  BOOST_TEST(text.starts_with("kernels: worker 2 lacks avx2"), text);
  BOOST_TEST((worker(2, 12, plan + "seed=2\n") == Verdict::kRefused));
  admission.remove({Role::kWorker, 0});
  admission.issueNext({.writer = {Role::kWorker, 1}});
  BOOST_TEST(admission.roster().kernels == "avx2");
  admission.remove({Role::kWorker, 1});
  size = 5;
  BOOST_TEST((worker(3, 13, "parts=4\nvalues=500\n") == Verdict::kRefused));
  BOOST_TEST(text.starts_with("words or values: worker 3 has 5,"), text);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_halved_is_scattered_and_gathered) {
  admission = Admission{{.self = {},
                         .server_text = "parts=4\n",
                         .plan_of = planOf,
                         .method = ExchangeMethod::kHalvingDoubling,
                         .workers = 2,
                         .servers = 0,
                         .most = MostMembers{4, 0}}};
  endpoint = "tcp://w:1";
  worker(0, 10);
  worker(1, 11);
  BOOST_TEST((admission.roster().shards.method() == ExchangeMethod::kHalvingDoubling));
  for (const auto& [workers, method] :
       {std::pair(3, ExchangeMethod::kScatterGather), {4, ExchangeMethod::kHalvingDoubling}}) {
    worker(workers - 1, 20);
    admission.issueNext({});
    BOOST_TEST((admission.roster().shards.method() == method));
    BOOST_TEST(rosterFromJson(toJson(admission.roster())).has_value());
  }
}

// What a checkpoint says counts for the roster that it is resumed with.
BOOST_AUTO_TEST_CASE(what_a_job_leaves_open_is_chosen_for_each_roster) {
  admission = Admission{{.self = {},
                         .server_text = "parts=4\n",
                         .plan_of = planOf,
                         .method = std::nullopt,
                         .workers = 2,
                         .servers = 0,
                         .most = MostMembers{3, 0}}};
  endpoint = "tcp://w:1";
  algorithm = "scatterGather";
  worker(0, 10);
  worker(1, 11);
  BOOST_TEST(admission.roster().choice->is_resumed);
  worker(2, 12);
  admission.issueNext({});
  BOOST_TEST(!admission.roster().choice->is_resumed);
  BOOST_TEST(admission.roster().workers() == 3);
}

BOOST_AUTO_TEST_CASE(what_no_member_would_send_is_refused) {
  BOOST_TEST((worker(2, 10) == Verdict::kRefused));
  BOOST_TEST((worker(-1, 10) == Verdict::kRefused));
  BOOST_TEST((worker(1, 0) == Verdict::kRefused));
  BOOST_TEST((admission.join({{Role::kWorker, 0}, 5}, 0, "{").verdict == Verdict::kRefused));
  BOOST_TEST((admission.join({{Role::kWorker, 0}, 5}, 0, toJson(JoinRequest{})).verdict ==
              Verdict::kRefused));  // the hash is another
  BOOST_TEST(admission.admitted() == 1U);
}

BOOST_AUTO_TEST_CASE(a_worker_that_counts_other_steps_than_the_first_is_refused_by_name) {
  steps = 100;
  BOOST_TEST((worker(0, 10) == Verdict::kWaiting));
  steps = 101;
  BOOST_TEST((worker(1, 11) == Verdict::kRefused));
  BOOST_TEST(text.starts_with("worker 1 "), text);
  steps = 100;
  BOOST_TEST((worker(1, 11) == Verdict::kWaiting));
}

// All others would be told to start after a step that does not exist.
BOOST_AUTO_TEST_CASE(a_worker_that_has_done_more_steps_than_the_job_has_is_refused) {
  admission = changing({4, 2});
  endpoint = "tcp://c:1";
  steps = 100;
  followed =
      Followed{.order = {3, 1}, .members = {}, .kernels = "avx2", .has_halted = true, .done = 101};
  BOOST_TEST((worker(0, 10) == Verdict::kRefused));
  BOOST_TEST(text.ends_with(" 100"), text);
  followed->done = 100;
  BOOST_TEST((worker(0, 10) == Verdict::kComplete));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::admission_test
