#include "kube/client/lease.h"

#include "tests/unit/kube/client/server_fixture.h"

namespace sumac::kube::lease_test {
namespace {

using fake::Misbehaviour;
using nlohmann::json;
using std::chrono::seconds;

struct LeaseFixture : ServerFixture {
  LeaseFixture()
      : transport(connect()),
        leases(makeLeaseClient(*transport, {"default", "sumac-operator"}, kLong)) {
    mine.holder = "host-1_a";
    mine.acquired = parseRfc3339("2026-01-31T12:00:00Z").value();
    mine.renewed = parseRfc3339("2026-01-31T12:00:05.25Z").value();
  }

  json stored() const { return server.store().all("leases").at(0); }
  static fake::Target target() {
    return {"coordination.k8s.io/v1", "leases", "default", "sumac-operator", ""};
  }

  std::unique_ptr<Transport> transport;
  std::unique_ptr<LeaseClient> leases;
  LeaseRecord mine;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(lease, *boost::unit_test::timeout(30))

BOOST_FIXTURE_TEST_CASE(a_lease_that_is_not_there_is_not_found, LeaseFixture) {
  const LeaseReply reply = leases->get({});

  BOOST_TEST(reply.failure.value().isNotFound());
  BOOST_TEST(reply.failure->message.find("get leases default/sumac-operator: 404") == 0U);
}

BOOST_FIXTURE_TEST_CASE(creates_and_reads_back, LeaseFixture) {
  const LeaseReply created = leases->create(mine, {});
  const LeaseReply read = leases->get({});

  BOOST_REQUIRE(bool(created));
  BOOST_TEST((created.record == read.record));
  mine.resource_version = read.record.resource_version;
  BOOST_TEST((read.record == mine));
  BOOST_TEST(mine.resource_version != "");
}

BOOST_FIXTURE_TEST_CASE(writes_times_with_six_digits, LeaseFixture) {
  BOOST_REQUIRE(bool(leases->create(mine, {})));

  BOOST_TEST(stored()["spec"] == (json{{"holderIdentity", "host-1_a"},
                                       {"leaseDurationSeconds", 15},
                                       {"leaseTransitions", 0},
                                       {"acquireTime", "2026-01-31T12:00:00.000000Z"},
                                       {"renewTime", "2026-01-31T12:00:05.250000Z"}}));
}

BOOST_FIXTURE_TEST_CASE(of_two_who_create_one_is_told_so, LeaseFixture) {
  BOOST_REQUIRE(bool(leases->create(mine, {})));

  BOOST_TEST(leases->create(mine, {}).failure.value().alreadyExists());
}

BOOST_FIXTURE_TEST_CASE(an_update_of_a_lease_that_has_changed_is_a_conflict, LeaseFixture) {
  LeaseRecord record = leases->create(mine, {}).record;
  server.store().edit(target(), [](json& object) { object["spec"]["holderIdentity"] = "other"; });

  record.transitions = 7;
  const LeaseReply reply = leases->update(record, {});

  BOOST_TEST(reply.failure.value().isConflict());
  BOOST_TEST(stored()["spec"]["holderIdentity"] == "other");
}

BOOST_FIXTURE_TEST_CASE(an_update_keeps_what_it_does_not_know, LeaseFixture) {
  BOOST_REQUIRE(bool(leases->create(mine, {})));
  server.store().edit(target(), [](json& object) {
    object["metadata"]["labels"] = {{"team", "a"}};
    object["spec"]["strategy"] = "OldestEmulationVersion";
  });
  LeaseRecord record = leases->get({}).record;

  record.holder.clear();
  record.duration = seconds(1);
  const LeaseReply reply = leases->update(record, {});

  BOOST_REQUIRE(bool(reply));
  BOOST_TEST(reply.record.holder == "");
  BOOST_TEST(reply.record.resource_version != record.resource_version);
  BOOST_TEST(stored()["metadata"]["labels"]["team"] == "a");
  BOOST_TEST(stored()["spec"]["strategy"] == "OldestEmulationVersion");
  BOOST_TEST(stored()["spec"]["leaseDurationSeconds"] == 1);
}

BOOST_FIXTURE_TEST_CASE(a_damaged_lease_is_one_that_nobody_holds, LeaseFixture) {
  server.store().create(target(), {{"metadata", {{"name", "sumac-operator"}}},
                                   {"spec",
                                    {{"holderIdentity", 3},
                                     {"leaseDurationSeconds", -5},
                                     {"leaseTransitions", 99999999999},
                                     {"renewTime", "yesterday"}}}});

  const LeaseReply reply = leases->get({});

  BOOST_REQUIRE(bool(reply));
  BOOST_TEST(reply.record.holder == "");
  BOOST_TEST(reply.record.duration.count() == 15);
  BOOST_TEST(reply.record.transitions == 0);
  BOOST_TEST(!reply.record.renewed.has_value());
}

BOOST_FIXTURE_TEST_CASE(asks_once_and_in_time, LeaseFixture) {
  server.misbehave({.delay = seconds(60)});
  const auto hasty = makeLeaseClient(*transport, {"default", "a"}, seconds(1));

  BOOST_TEST(hasty->get({}).failure.value().status == 0);
  BOOST_TEST(server.seen().size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(ends_when_asked_to_stop, LeaseFixture) {
  std::stop_source stop;
  stop.request_stop();

  BOOST_TEST(leases->get(stop.get_token()).failure.value().status == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::lease_test
