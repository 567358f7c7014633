#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "operator/control/counting_transport.h"
#include "operator/control/gated_transport.h"
#include "tests/support/manual_clock.h"

namespace sumac::control::transports_test {
namespace {

using std::chrono::seconds;

/// Answers all requests with the same status.
class Fixed final : public kube::Transport {
 public:
  explicit Fixed(int status) : status_(status) {}

  kube::Response send(const kube::Request& /*request*/, Duration /*timeout*/,
                      const std::stop_token& /*stop*/) override {
    ++requests;
    return answer();
  }
  kube::Response stream(const kube::Request& /*request*/, Duration /*idle*/,
                        const std::stop_token& /*stop*/,
                        const std::function<bool(std::string_view)>& /*on_line*/,
                        bool /*raw*/) override {
    ++requests;
    return answer();
  }

  int requests = 0;

 private:
  kube::Response answer() const {
    kube::Response response;
    response.status = status_;
    return response;
  }

  int status_;
};

kube::Request aRequest(kube::Method method) {
  kube::Request request;
  request.method = method;
  return request;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(counting_transport)

BOOST_AUTO_TEST_CASE(tells_verb_and_code_of_each_request) {
  std::vector<std::pair<std::string, int>> counted;
  CountingTransport transport(std::make_unique<Fixed>(409), [&](std::string_view verb, int code) {
    counted.emplace_back(verb, code);
  });

  for (const auto method : {kube::Method::kGet, kube::Method::kPost, kube::Method::kPut,
                            kube::Method::kPatch, kube::Method::kDelete}) {
    transport.send(aRequest(method), seconds(1), {});
  }
  transport.stream(aRequest(kube::Method::kGet), seconds(1), {}, {}, false);

  const std::vector<std::pair<std::string, int>> expected = {{"get", 409},    {"create", 409},
                                                             {"update", 409}, {"patch", 409},
                                                             {"delete", 409}, {"watch", 409}};
  BOOST_TEST((counted == expected));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(gated_transport)

BOOST_AUTO_TEST_CASE(sends_while_we_lead_and_nothing_after) {
  Fixed next(200);
  WriteGate gate;
  ManualClock clock;
  GatedTransport transport(next, gate, clock);
  const auto send = [&] {
    return transport.send(aRequest(kube::Method::kPost), seconds(1), {}).status;
  };
  BOOST_TEST(send() == 0);

  gate.openUntil(clock.now() + seconds(10));
  BOOST_TEST(send() == 200);
  clock.advance(seconds(10));

  BOOST_TEST(send() == 0);
  BOOST_TEST(transport.stream(aRequest(kube::Method::kGet), seconds(1), {}, {}, false).status == 0);
  BOOST_TEST(next.requests == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::control::transports_test
