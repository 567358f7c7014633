#include <bit>
#include <cctype>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "exchange/wire/codec.h"
#include "exchange/wire/job_hash.h"

namespace sumac::wire::documented_exchange_test {
namespace {

/// The bytes of one line, "OFFSET  B1 B2 ...  MEANING": two spaces end them.
Bytes bytesOf(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ', line.find(' '));
  std::istringstream words(line.substr(begin, line.find("  ", begin) - begin));
  Bytes bytes;
  for (std::string word; words >> word;)
    bytes.push_back(static_cast<std::byte>(std::stoul(word, nullptr, 16)));
  return bytes;
}

/// The frames of the document by their names, "push header"; the offsets must be those of the
/// bytes.
std::map<std::string, Bytes> documentedFrames() {
  const auto text = readTextFile(SUMAC_SOURCE_FOLDER "/docs/protocol.md", 1U << 20U);
  BOOST_REQUIRE(text);
  const std::size_t section = text->find("## One exchange, byte by byte");
  BOOST_REQUIRE(section != std::string::npos);
  std::istringstream lines(text->substr(section, text->find("\n## ", section) - section));
  std::map<std::string, Bytes> frames;
  Bytes* frame = nullptr;
  bool is_within = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      is_within = !is_within;
    } else if (is_within && std::isdigit(static_cast<unsigned char>(line.front())) == 0) {
      frame = &frames[line];
    } else if (is_within) {
      BOOST_REQUIRE(frame != nullptr);
      BOOST_TEST(std::stoul(line) == frame->size(), line);
      const Bytes bytes = bytesOf(line);
      frame->insert(frame->end(), bytes.begin(), bytes.end());
    }
  }
  return frames;
}

Bytes valuesOf(float one, float other) {
  Bytes bytes(2 * sizeof(float));
  storeLittleEndian(bytes.data(), std::bit_cast<std::uint32_t>(one));
  storeLittleEndian(bytes.data() + sizeof(float), std::bit_cast<std::uint32_t>(other));
  return bytes;
}

std::string hex(BytesView bytes) {
  std::ostringstream text;
  text << std::hex << std::setfill('0');
  for (const std::byte byte : bytes)
    text << std::setw(2) << std::to_integer<int>(byte) << ' ';
  return text.str();
}

/// What the document says of both messages.
Header common(MessageType type) {
  Header header;
  header.type = type;
  header.job = jobHash("tiny", "0");
  header.term = 1;
  header.generation = 1;
  header.sequence = 42;
  header.connection = 1;
  header.step = 41;
  header.range = 3;
  header.first = 5000;
  header.count = 2;
  return header;
}

Header documentedPush() {
  Header push = common(MessageType::kPush);
  push.sender = {{Role::kWorker, 0}, 0x1122334455667788};
  push.acknowledged = 41;
  push.credit = 41;
  push.node = {0, 1};
  return push;
}

Header documentedSum() {
  Header sum = common(MessageType::kSum);
  sum.sender = {{Role::kServer, 0}, 0x99AABBCCDDEEFF00};
  sum.acknowledged = 42;
  sum.credit = 42;
  return sum;
}

void check(const std::string& name, const Header& header, const Bytes& values) {
  auto frames = documentedFrames();
  const HeaderBytes written = encode(header, values);

  BOOST_TEST(hex(frames[name + " header"]) == hex(written));
  BOOST_TEST(hex(frames[name + " payload"]) == hex(values));
  const auto read = decode(frames[name + " header"], frames[name + " payload"]);
  BOOST_REQUIRE(std::holds_alternative<Header>(read));
  BOOST_TEST((encode(std::get<Header>(read), values) == written));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(documented_exchange)

BOOST_AUTO_TEST_CASE(of_a_push_and_its_sum_is_what_we_write_and_read) {
  check("push", documentedPush(), valuesOf(1, -0.5F));
  check("sum", documentedSum(), valuesOf(2.5F, -0.25F));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::wire::documented_exchange_test
