#include "engine/model_file/model_file.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

#include "engine/checkpoint/safetensors.h"
#include "tests/support/refusals.h"

namespace sumac::worker::model_file_test {
namespace {

constexpr auto kPerElement = boost::test_tools::per_element();

std::vector<float> numbered(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.5F);
  return values;
}

/// Two channels of 4x4 that three classes are told apart by.
ModelDescription images() {
  ModelDescription description;
  description.job = "pets";
  description.steps = 12;
  description.numerics = "avx2/1";
  description.spec = {.name = "custom",
                      .input = {2, 4, 4},
                      .layers = {{"conv", model::Conv2d{.outputs = 3, .kernel = 3}, {}},
                                 {"norm", model::BatchNorm{}, {}},
                                 {"flat", model::Flatten{}, {}},
                                 {"fc", model::Dense{.outputs = 4}, {}},
                                 {"loss", model::SoftmaxCrossEntropy{}, {}}},
                      .vocabulary = 0};
  description.classes = 3;
  description.class_names = {"cat", "dog", std::string("not \xFF UTF-8")};
  description.normalization = {.mean = {0.1F, 1.0F / 3.0F}, .deviation = {0.25F, 7.5F}};
  description.pictures.resize = PictureSize{4, 4};
  description.evaluation = {
      .max_samples = 64, .summed_samples = 128, .batch_size = 100, .unroll = 1};
  return description;
}

/// A number and two categories.
ModelDescription table() {
  ModelDescription description;
  description.spec = {.name = "custom",
                      .input = {3},
                      .layers = {{"fc", model::Dense{.outputs = 2}, {}},
                                 {"loss", model::SoftmaxCrossEntropy{}, {}}},
                      .vocabulary = 0};
  description.task = ModelTask::kTable;
  description.classes = 2;
  description.columns = {"kind", {{"a"}, {"b", CsvKind::kCategorical, {"x", "\xC3\xBC"}}}};
  description.evaluation = {.max_samples = 8, .summed_samples = 8, .batch_size = 8, .unroll = 1};
  return description;
}

ModelDescription text() {
  ModelDescription description;
  description.spec = {.name = "custom",
                      .input = {5},
                      .layers = {{"words", model::Embedding{2}, {}},
                                 {"lstm1", model::Lstm{3}, {}},
                                 {"fc", model::Dense{0}, {}},
                                 {"loss", model::SoftmaxCrossEntropy{}, {}}},
                      .vocabulary = 4};
  description.task = ModelTask::kText;
  description.vocabulary = {"<eos>", "<unk>", "\"quoted\"", std::string("\x80")};
  description.evaluation = {.max_samples = 8, .summed_samples = 64, .batch_size = 8, .unroll = 5};
  return description;
}

Bytes fileOf(const ModelDescription& description) {
  const auto network = model::resolve(description.spec);
  return encodeModelFile(description, *network, numbered(network->parameters),
                         numbered(network->statistics));
}

/// A file with its metadata changed; an empty text takes one away.
Bytes fileWith(const std::map<std::string, std::string>& changes,
               const ModelDescription& description = images()) {
  const Bytes file = fileOf(description);
  auto metadata = *checkpoint::metadataOf(file);
  for (const auto& [name, value] : changes) {
    metadata[name] = value;
    if (value.empty()) metadata.erase(name);
  }
  metadata.erase("checksum");
  model::Network tensors;
  return checkpoint::encodeSafetensors(tensors, {}, metadata);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(model_file)

BOOST_AUTO_TEST_CASE(keeps_all_that_the_use_of_a_model_needs) {
  const ModelDescription given = images();
  const auto read = decodeModelFile(fileOf(given));

  BOOST_REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
  BOOST_TEST(read->job == "pets");
  BOOST_TEST(read->steps == 12U);
  BOOST_TEST(read->numerics == "avx2/1");
  BOOST_TEST(model::canonicalText(read->network) ==
             model::canonicalText(*model::resolve(given.spec)));
  BOOST_TEST((read->task == ModelTask::kImages));
  BOOST_TEST(read->classes == 3);
  BOOST_TEST(read->class_names == given.class_names, kPerElement);
  BOOST_TEST(read->normalization.mean == given.normalization.mean, kPerElement);
  BOOST_TEST(read->normalization.deviation == given.normalization.deviation, kPerElement);
  BOOST_TEST(read->pictures.channels == 0);
  BOOST_TEST((read->pictures.resize == PictureSize{4, 4}));
  BOOST_TEST(read->evaluation.max_samples == 64);
  BOOST_TEST(read->evaluation.summed_samples == 128);
  BOOST_TEST(read->evaluation.batch_size == 100);
  BOOST_TEST(read->weights == numbered(read->network.parameters), kPerElement);
  BOOST_TEST(read->statistics == numbered(6), kPerElement);
}

BOOST_AUTO_TEST_CASE(keeps_words_and_the_gates_of_text) {
  const auto read = decodeModelFile(fileOf(text()));

  BOOST_REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
  BOOST_TEST((read->task == ModelTask::kText));
  BOOST_TEST(read->vocabulary == text().vocabulary, kPerElement);
  BOOST_TEST(read->network.vocabulary() == 4);
  BOOST_TEST(read->evaluation.unroll == 5);
  BOOST_TEST(read->weights == numbered(read->network.parameters), kPerElement);
}

BOOST_AUTO_TEST_CASE(keeps_how_rows_of_a_table_became_inputs) {
  const auto read = decodeModelFile(fileOf(table()));

  BOOST_REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
  BOOST_TEST((read->columns == table().columns));
}

BOOST_AUTO_TEST_CASE(leaves_out_columns_beyond_reason) {
  ModelDescription wide = table();
  wide.columns.columns[1].categories[1].resize(kMostColumnsText, 'z');
  const auto read = decodeModelFile(fileOf(wide));

  BOOST_REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
  BOOST_TEST(read->columns.columns.empty());
}

BOOST_AUTO_TEST_CASE(has_a_number_where_classes_have_no_names) {
  ModelDescription given = images();
  given.class_names.clear();
  const auto read = decodeModelFile(fileOf(given));

  BOOST_REQUIRE(read);
  BOOST_TEST(read->classes == 3);
  BOOST_TEST(read->class_names.empty());
}

BOOST_AUTO_TEST_CASE(the_same_model_makes_the_same_bytes) {
  BOOST_TEST((fileOf(images()) == fileOf(images())));
}

/// Each byte of the head and of the values, but for those that JSON does not mind.
BOOST_AUTO_TEST_CASE(no_flipped_bit_goes_unnoticed) {
  const ModelDescription given = images();
  const Bytes file = fileOf(given);
  const auto whole = decodeModelFile(file);
  for (std::size_t at = 0; at < file.size(); ++at) {
    Bytes flipped = file;
    flipped[at] ^= std::byte{4};
    const auto read = decodeModelFile(flipped);
    // The checksum's own name may be lost: then nothing else is.
    if (read) BOOST_TEST_INFO("byte " << at);
    if (read) BOOST_TEST(read->weights == whole->weights, kPerElement);
    if (read) BOOST_TEST(read->class_names == whole->class_names, kPerElement);
  }
}

BOOST_AUTO_TEST_CASE(no_cut_file_is_read) {
  const Bytes file = fileOf(images());
  for (std::size_t size = 0; size < file.size(); size += 7)
    BOOST_TEST(!decodeModelFile(BytesView(file).first(size)), size);
}

using Changes = std::map<std::string, std::string>;

const Changes kWrong[] = {
    {{"format", ""}},
    {{"format", "pt"}},
    {{"network", ""}},
    {{"format", "one"}},
    {{"format", "0"}},
    {{"network", "{}"}},
    {{"task", "sound"}},
    {{"task", "text"}},
    {{"classes", ""}},
    {{"classes", "0"}},
    {{"classes", "-1"}},
    {{"classes", "99999999999"}},
    {{"classes", "[1]"}},
    {{"classes", "[[256]]"}},
    {{"classes", "[\"\"]"}},
    {{"classes", "5"}},
    {{"normalize", "7"}},
    {{"normalize", R"({"mean":["1"],"deviation":["0"]})"}},
    {{"normalize", R"({"mean":["1"],"deviation":["1","2"]})"}},
    {{"normalize", R"({"mean":["nan"],"deviation":["1"]})"}},
    {{"normalize", R"({"mean":["0","0","0"],"deviation":["1","1","1"]})"}},
    {{"pictures", "[]"}},
    {{"pictures", R"({"channels":2})"}},
    {{"pictures", R"({"channels":-1})"}},
    {{"pictures", R"({"resize":[4]})"}},
    {{"pictures", R"({"resize":[4,0]})"}},
    {{"pictures", R"({"resize":[4,99999999999]})"}},
    {{"pictures", R"({"channels":3})"}},
    {{"pictures", R"({"resize":[4,5]})"}},
    {{"columns", R"({"label":"kind","columns":[{"name":"a"}]})"}},
    {{"evaluation", "{}"}},
    {{"evaluation", R"({"samples":0,"summed":1,"streams":1})"}},
    {{"vocabulary", "[null]"}},
};

const char* const kWrongColumns[] = {
    "7",
    "{}",
    R"({"label":"kind"})",
    R"({"label":"kind","columns":[]})",
    R"({"label":"","columns":[{"name":"a"}]})",
    R"({"label":"kind","columns":[7]})",
    R"({"label":"kind","columns":[{"name":7}]})",
    R"({"label":"kind","columns":[{"name":"a","categories":7}]})",
    R"({"label":"kind","columns":[{"name":"a","categories":[]}]})",
    R"({"label":"kind","columns":[{"name":"a","categories":["y","x","z"]}]})",
    R"({"label":"kind","columns":[{"name":"a","categories":["x","x","z"]}]})",
    R"({"label":"kind","columns":[{"name":"a"},{"name":"b"}]})",
};

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_the_description) {
  test::Refusals refusals;
  refusals.add("cut", decodeModelFile(BytesView(fileOf(images())).first(7)));
  const auto add = [&](const std::string& name, const Bytes& file, const char* where = "",
                       ErrorCode code = ErrorCode::kInvalid) {
    refusals.add(name, decodeModelFile(file), where, code);
  };
  for (const Changes& changes : kWrong) {
    const auto& [name, value] = *changes.begin();
    add(name + ": " + (value.empty() ? "none" : value), fileWith(changes));
  }
  add("a later version", fileWith({{"format", "2"}}), "format 2", ErrorCode::kUnsupported);
  for (const char* const columns : kWrongColumns)
    add(std::string("columns of a table: ") + columns, fileWith({{"columns", columns}}, table()));
  add("a deep network", fileWith({{"network", std::string(3'000'000, '[')}}), "\"network\"");
  add("no tensors", fileWith({}), "conv.weight");

  ModelDescription other = images();
  std::get<model::Dense>(other.spec.layers[3].kind).outputs = 5;
  const auto network = model::resolve(images().spec);
  add("another shape", encodeModelFile(other, *network, numbered(network->parameters),
                                       numbered(network->statistics)));
  refusals.compareWith("engine/model_file/model_file.txt");
}

BOOST_AUTO_TEST_CASE(takes_another_description_for_a_file_without_one) {
  const ModelDescription given = images();
  const auto network = model::resolve(given.spec);
  Bytes file = fileOf(given);
  // What an earlier version wrote has the same tensors.
  std::string text(asText(file));
  for (const std::string name : {"\"format\"", "\"checksum\""})
    text.replace(text.find(name), 3, "\"xx");
  const auto read = decodeModelFile(asBytes(text), [&given] { return Result(given); });
  BOOST_REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
  BOOST_TEST(read->weights == numbered(network->parameters), kPerElement);
  BOOST_TEST(!decodeModelFile(asBytes(text)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::model_file_test
