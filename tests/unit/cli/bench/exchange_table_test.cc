#include "cli/bench/exchange_table.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/report/text.h"
#include "tests/support/golden.h"

namespace sumac::cli::exchange_table_test {
namespace {

const ExchangeRow kCentral{{4'000, ExchangeMethod::kServers, 2, 2, 100, false},
                           {0.000'05, 0.000'04, 0.001, 4'200, 4'300}};
const ExchangeRow kDirect{{64'000'000, ExchangeMethod::kDirect, 4, 1, 20, true},
                          {0.064, 0.032, 0.128, 1, 2}};

}  // namespace

BOOST_AUTO_TEST_SUITE(exchange_table)

BOOST_AUTO_TEST_CASE(bus_bandwidth_is_what_each_member_moves_at_least) {
  BOOST_TEST(algorithmBandwidth(kDirect) == 1e9, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(busBandwidth(kDirect) == 1.5e9, boost::test_tools::tolerance(1e-9));

  ExchangeRow alone = kCentral;
  alone.cell.workers = 1;
  BOOST_TEST(busBandwidth(alone) == 0);
}

BOOST_AUTO_TEST_CASE(a_table_has_a_line_for_each_row) {
  test::checkGolden("cli/bench/exchange_table.txt", toText(exchangeTable({kCentral, kDirect}), {}));
}

BOOST_AUTO_TEST_CASE(json_has_numbers_in_base_units) {
  const auto json = nlohmann::json::parse(exchangeJson({kCentral, kDirect}));

  const auto& direct = json.at("cells").at(1);
  BOOST_TEST(direct.at("bytes") == 64'000'000);
  BOOST_TEST(direct.at("algorithm") == "direct");
  BOOST_TEST(direct.at("servers") == 0);
  BOOST_TEST(direct.at("transport") == "curve");
  BOOST_TEST(direct.at("p50Seconds") == 0.064);
  BOOST_TEST(json.at("cells").at(0).at("servers") == 2);
  BOOST_TEST(json.contains("version"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::exchange_table_test
