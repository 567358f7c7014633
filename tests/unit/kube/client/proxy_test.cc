#include "kube/client/proxy.h"

#include <ostream>
#include <string>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::kube::proxy_test {
namespace {

struct Excluded {
  const char* no_proxy;
  const char* server;
  bool is_excluded;
};

std::ostream& operator<<(std::ostream& out, const Excluded& each) {
  return out << each.no_proxy << " for " << each.server;
}

const Excluded kExcluded[] = {
    {"", "https://api.example.com", false},
    {"*", "https://api.example.com", true},
    {"example.com", "https://api.example.com:6443", true},
    {"example.com", "https://example.com", true},
    {"example.com", "https://badexample.com", false},
    {".example.com", "https://api.example.com", true},
    {".example.com", "https://example.com", false},
    {"*.example.com", "https://api.example.com", true},
    {"EXAMPLE.com", "https://api.Example.com", true},
    {"other, example.com ,", "https://api.example.com", true},
    {"example.com:6443", "https://example.com:6443", true},
    {"example.com:443", "https://example.com:6443", false},
    {"example.com:443", "https://example.com", true},
    {"10.0.0.0/8", "https://10.96.0.1:443", true},
    {"10.0.0.0/8", "https://11.0.0.1", false},
    {"10.96.0.1", "https://10.96.0.1:443/prefix", true},
    {"0.0.0.0/0", "https://10.96.0.1", true},
    {"10.0.0.0/33", "https://10.96.0.1", false},
    {"10.0.0/8", "https://10.96.0.1", false},
};

Environment environmentWith(std::map<std::string, std::string> variables) {
  Environment environment;
  environment.variables = std::move(variables);
  return environment;
}

std::string chosen(const std::string& server, std::map<std::string, std::string> variables) {
  const auto proxy = proxyFor(server, environmentWith(std::move(variables)));
  if (!proxy) return proxy.error().message;
  return proxy->empty() ? "none" : proxy->text();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(proxy)

BOOST_DATA_TEST_CASE(is_not_used_for_what_no_proxy_names, boost::unit_test::data::make(kExcluded),
                     each) {
  const std::map<std::string, std::string> variables = {{"HTTPS_PROXY", "http://p:3128"},
                                                        {"NO_PROXY", each.no_proxy}};
  BOOST_TEST(chosen(each.server, variables) == (each.is_excluded ? "none" : "p:3128"));
}

BOOST_AUTO_TEST_CASE(follows_from_the_variables_as_for_kubectl) {
  const std::string server = "https://api.example.com";
  BOOST_TEST(chosen(server, {}) == "none");
  BOOST_TEST(chosen(server, {{"https_proxy", "http://p"}}) == "p:80");
  BOOST_TEST(chosen(server, {{"HTTPS_PROXY", "http://one"}, {"https_proxy", "http://two"}}) ==
             "one:80");
  BOOST_TEST(chosen(server, {{"HTTPS_PROXY", "p.example:3128"}}) == "p.example:3128");
  BOOST_TEST(chosen(server, {{"HTTP_PROXY", "http://p"}}) == "none");
  BOOST_TEST(chosen("http://api.example.com", {{"HTTP_PROXY", "http://p"}}) == "p:80");
  BOOST_TEST(chosen(server, {{"https_proxy", "http://p"}, {"no_proxy", "example.com"}}) == "none");
}

BOOST_AUTO_TEST_CASE(is_not_used_for_this_machine) {
  for (const char* server : {"https://127.0.0.1:6443", "https://localhost:6443"}) {
    BOOST_TEST(chosen(server, {{"HTTPS_PROXY", "http://p:1"}}) == "none");
  }
}

BOOST_AUTO_TEST_CASE(may_have_a_user_and_a_password) {
  const auto read = readProxy("http://me:p%40ss:word@proxy.example:3128/");
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->text() == "proxy.example:3128");
  BOOST_TEST(read->user == "me");
  BOOST_TEST(read->password == "p@ss:word");
}

BOOST_AUTO_TEST_CASE(of_another_kind_is_an_error_that_shows_no_password) {
  test::Transcript said;
  for (const char* url : {"https://me:secret@p", "socks5://me:secret@p", "p:1", "http://",
                          "http://me:secret@p:port", "http://me:sec%ret@p", "http://p/path"}) {
    const auto read = readProxy(url);
    BOOST_TEST_REQUIRE(!read.has_value(), url);
    BOOST_TEST(read.error().message.find("sec") == std::string::npos, url);
    said.add(url, read.error().message);
  }
  said.add("a variable",
           chosen("https://api.example.com", {{"HTTPS_PROXY", "socks5://me:secret@p"}}));
  test::checkGolden("kube/client/proxy.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::proxy_test
