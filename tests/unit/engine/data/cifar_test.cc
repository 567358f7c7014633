#include "engine/data/cifar.h"

#include <cstdlib>
#include <filesystem>

#include <boost/test/unit_test.hpp>

#include "tests/unit/engine/data/files.h"
#include "tests/unit/engine/data/idx_files.h"

namespace sumac::worker::cifar_test {
namespace {

constexpr std::size_t kPixels = kCifarRecord - 1;

/// A record whose pixels are all `pixel`.
std::string record(char label, char pixel) {
  return std::string(1, label) + std::string(kPixels, pixel);
}

struct Fixture : FilesFixture {
  Fixture() {
    write("data_batch_1.bin", record(3, 'a') + record(9, 'b'));
    write("data_batch_2.bin", record(0, 'c'));
    write("test_batch.bin", record(1, 'd'));
  }

  void refuses(std::initializer_list<std::string_view> words,
               ErrorCode code = ErrorCode::kInvalid) const {
    failed(loadCifar10(folder()), code, words);
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

BOOST_AUTO_TEST_CASE(refuses_another_number_of_names) {
  write("batches.meta.txt", "a\nb\n");
  refuses({"batches.meta.txt", "found 2 names", "10 classes"});
  write("batches.meta.txt", std::string(5000, 'a'));
  refuses({"batches.meta.txt", "5000 bytes"});
}

BOOST_AUTO_TEST_CASE(refuses_sizes_that_are_no_whole_records) {
  const std::string whole = record(1, 'x');
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kPixels}) {
    write("data_batch_2.bin", whole.substr(0, size));
    refuses({"data_batch_2.bin", "found " + std::to_string(size) + " bytes", "3073"});
  }
  write("data_batch_2.bin", whole + "x");
  refuses({"found 3074 bytes"});
}

BOOST_AUTO_TEST_CASE(says_that_a_file_is_compressed) {
  write("test_batch.bin", gzipped(record(1, 'x')));
  refuses({"test_batch.bin", "gunzip"});
}

BOOST_AUTO_TEST_CASE(refuses_a_label_of_10) {
  write("data_batch_2.bin", record(9, 'x') + record(10, 'x'));
  refuses({"data_batch_2.bin", "found label 10 at record 1", "0 to 9"});
  write("data_batch_2.bin", record(static_cast<char>(255), 'x'));
  refuses({"found label 255 at record 0"});
}

BOOST_AUTO_TEST_CASE(names_what_is_missing) {
  remove("test_batch.bin");
  refuses({"test_batch.bin", "binary version"}, ErrorCode::kNotFound);
  remove("data_batch_1.bin");
  remove("data_batch_2.bin");
  refuses({path("data_batch_1.bin")}, ErrorCode::kNotFound);
  failed(loadCifar10(path("nowhere")), ErrorCode::kNotFound, {path("nowhere")});
}

BOOST_AUTO_TEST_CASE(refuses_two_files_of_one_number_and_what_is_no_file) {
  write("data_batch_01.bin", record(1, 'x'));
  refuses({"data_batch_01.bin", "data_batch_1.bin"});
  remove("data_batch_01.bin");
  std::filesystem::create_directory(path("data_batch_3.bin"));
  refuses({"data_batch_3.bin", "not a regular file"});
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
  failed(loadCifar100(folder()), ErrorCode::kInvalid, {"test.bin: found label 100", "0 to 99"});
  write("test.bin", record(1, 'x'));
  failed(loadCifar100(folder()), ErrorCode::kInvalid, {"3073 bytes", "records of 3074"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::cifar_test
