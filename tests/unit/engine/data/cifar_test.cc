#include "engine/data/cifar.h"

#include <cstdlib>
#include <filesystem>

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"
#include "tests/unit/engine/data/files.h"

namespace sumac::worker::cifar_test {
namespace {

constexpr std::size_t kPixels = kCifarRecord - 1;

/// A record whose pixels are all `pixel`.
std::string record(char label, char pixel) {
  return std::string(1, label) + std::string(kPixels, pixel);
}

struct Fixture : FilesFixture {
  Fixture() { writeBatches(); }

  void writeBatches() const {
    write("data_batch_1.bin", record(3, 'a') + record(9, 'b'));
    write("data_batch_2.bin", record(0, 'c'));
    write("test_batch.bin", record(1, 'd'));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cifar10, Fixture)

BOOST_AUTO_TEST_CASE(loads_labels_and_pixels_of_all_files_in_order) {
  const auto images = loadCifar10(folder());

  BOOST_REQUIRE(images);
  BOOST_TEST(images->classes == 10);
  BOOST_TEST(model::toString(images->train.shape) == "3x32x32");
  BOOST_TEST(model::toString(images->test.shape) == "3x32x32");
  BOOST_TEST(images->train.labels == (std::vector<std::uint16_t>{3, 9, 0}),
             boost::test_tools::per_element());
  BOOST_TEST(images->train.pixels.size() == 3 * kPixels);
  BOOST_TEST(int{images->train.pixels[kPixels - 1]} == int{'a'});
  BOOST_TEST(int{images->train.pixels[kPixels]} == int{'b'});
  BOOST_TEST(int{images->train.pixels[2 * kPixels]} == int{'c'});
  BOOST_TEST(int{images->test.labels[0]} == 1);
  BOOST_TEST(images->class_names.empty());
}

BOOST_AUTO_TEST_CASE(keeps_pixels_in_the_order_of_the_file) {
  std::string one(1, '\2');
  for (std::size_t i = 0; i < kPixels; ++i)
    one += static_cast<char>(i % 251);
  write("test_batch.bin", one);

  const auto images = loadCifar10(folder());

  BOOST_REQUIRE(images);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1024}, std::size_t{3071}})
    BOOST_TEST(images->test.pixels[i] == i % 251);
}

BOOST_AUTO_TEST_CASE(takes_the_files_by_number_not_by_name) {
  write("data_batch_10.bin", record(7, 'x'));
  remove("data_batch_1.bin");

  const auto images = loadCifar10(folder());

  BOOST_REQUIRE(images);
  BOOST_TEST(images->train.labels == (std::vector<std::uint16_t>{0, 7}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(ignores_files_of_other_names) {
  write("data_batch_.bin", "x");
  write("data_batch_1.bin.part", "x");
  write("data_batch_one.bin", "x");
  write("readme.html", "x");

  BOOST_TEST(loadCifar10(folder()).has_value());
}

BOOST_AUTO_TEST_CASE(reads_the_names_of_the_classes) {
  write("batches.meta.txt", "a\nb\nc\nd\r\ne\nf\ng\nh\ni\nj\n\n");

  const auto images = loadCifar10(folder());

  BOOST_REQUIRE(images);
  BOOST_TEST(images->class_names.size() == 10U);
  BOOST_TEST(images->class_names[3] == "d");
  BOOST_TEST(images->class_names[9] == "j");
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_or_missing) {
  const std::string whole = record(1, 'x');
  const std::tuple<const char*, const char*, std::string> kCases[] = {
      {"two names of classes", "batches.meta.txt", "a\nb\n"},
      {"a long file of names", "batches.meta.txt", std::string(5000, 'a')},
      {"nothing", "data_batch_2.bin", ""},
      {"a label alone", "data_batch_2.bin", whole.substr(0, 1)},
      {"a record cut short", "data_batch_2.bin", whole.substr(0, kPixels)},
      {"a byte after a record", "data_batch_2.bin", whole + "x"},
      {"label 10", "data_batch_2.bin", record(9, 'x') + record(10, 'x')},
      {"label 255", "data_batch_2.bin", record(static_cast<char>(255), 'x')},
      {"two files of one number", "data_batch_02.bin", whole},
      {"gzip", "test_batch.bin", "\x1F\x8B\x08 and more"}};
  test::Refusals refusals(folder());
  for (const auto& [name, file, bytes] : kCases) {
    writeBatches();
    write(file, bytes);
    refusals.add(name, loadCifar10(folder()), file);
    remove(file);
  }
  writeBatches();
  std::filesystem::create_directory(path("data_batch_3.bin"));
  refusals.add("a folder", loadCifar10(folder()), "FOLDER/data_batch_3.bin");
  remove("data_batch_3.bin");
  remove("test_batch.bin");
  refusals.add("no file to test with", loadCifar10(folder()), "test_batch.bin",
               ErrorCode::kNotFound);
  remove("data_batch_1.bin");
  remove("data_batch_2.bin");
  refusals.add("no file", loadCifar10(folder()), "FOLDER/data_batch_1.bin", ErrorCode::kNotFound);
  refusals.add("no folder", loadCifar10(path("nowhere")), "FOLDER/nowhere", ErrorCode::kNotFound);
  refusals.compareWith("engine/data/cifar10.txt");
}

BOOST_AUTO_TEST_CASE(loads_the_classes_of_cifar_100_not_their_groups) {
  const auto fine = [](char group, char label) {
    return std::string(1, group) + record(label, 'x');
  };
  write("train.bin", fine(19, 99) + fine(0, 7));
  write("test.bin", fine(1, 0));
  std::string names;
  for (int i = 0; i < 100; ++i)
    names += "name " + std::to_string(i) + "\n";
  write("fine_label_names.txt", names);

  const auto images = loadCifar100(folder());

  BOOST_REQUIRE(images);
  BOOST_TEST(images->classes == 100);
  BOOST_TEST(images->train.labels == (std::vector<std::uint16_t>{99, 7}),
             boost::test_tools::per_element());
  BOOST_TEST(images->train.pixels.size() == 2 * kPixels);
  BOOST_TEST(images->train.pixels == std::vector<std::uint8_t>(2 * kPixels, 'x'),
             boost::test_tools::per_element());
  BOOST_TEST(images->class_names.at(99) == "name 99");

  write("test.bin", fine(1, 100));
  test::Refusals refusals(folder());
  refusals.add("label 100", loadCifar100(folder()), "FOLDER/test.bin");
  write("test.bin", record(1, 'x'));
  refusals.add("a record of CIFAR-10", loadCifar100(folder()), "FOLDER/test.bin");
  refusals.compareWith("engine/data/cifar100.txt");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::cifar_test
