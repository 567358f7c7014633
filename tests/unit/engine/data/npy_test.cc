#include "engine/data/npy.h"

#include <limits>

#include <boost/test/unit_test.hpp>

#include "tests/unit/engine/data/files.h"
#include "tests/unit/engine/data/npy_files.h"

namespace sumac::worker::npy_test {
namespace {

const std::string kX = npyBytes("<f4", "(3, 2)", bytesOfValues<float>({1, 2, 3, 4, 5, 6}));
const std::string kY = npyBytes("<i8", "(3,)", bytesOfValues<std::int64_t>({0, 2, 1}));
const std::string kXTest = npyBytes("<f8", "(1, 2)", bytesOfValues<double>({7.5, -8}));
const std::string kYTest = npyBytes("|u1", "(1,)", "\2");

struct Fixture : FilesFixture {
  Fixture() {
    for (const auto& [name, content] : entries())
      write(name, content);
  }

  static ZipEntries entries() {
    return {
        {"x_train.npy", kX}, {"y_train.npy", kY}, {"x_test.npy", kXTest}, {"y_test.npy", kYTest}};
  }

  void removeAll() const {
    for (const auto& [name, content] : entries())
      remove(name);
  }

  void refuses(const std::string& name, std::string_view bytes,
               std::initializer_list<std::string_view> words) const {
    write(name, bytes);
    failed(loadNpy(folder()), ErrorCode::kInvalid, words);
    failed(loadNpy(folder()), ErrorCode::kInvalid, {path(name) + ": "});
  }

  void refusesArchive(std::initializer_list<std::string_view> words,
                      ErrorCode code = ErrorCode::kInvalid) const {
    failed(loadNpy(folder()), code, words);
  }
};

struct ArchiveFixture : Fixture {
  ArchiveFixture() { removeAll(); }

  std::string bytes() const {
    std::ifstream file(path("data.npz"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

void checkNpy(const Samples& samples, const std::vector<float>& values,
              const std::vector<std::uint16_t>& labels) {
  BOOST_TEST(samples.values == values, boost::test_tools::per_element());
  BOOST_TEST(samples.labels == labels, boost::test_tools::per_element());
}

void checkVectors(const Result<Images>& images) {
  BOOST_REQUIRE(images);
  BOOST_TEST(images->classes == 3);
  BOOST_TEST(images->class_names.empty());
  BOOST_TEST(model::toString(images->train.shape) == "2");
  checkNpy(images->train, {1, 2, 3, 4, 5, 6}, {0, 2, 1});
  checkNpy(images->test, {7.5F, -8}, {2});
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(npy, Fixture)

BOOST_AUTO_TEST_CASE(loads_vectors) {
  checkVectors(loadNpy(folder()));
}

BOOST_AUTO_TEST_CASE(loads_images_of_bytes_as_pixels) {
  write("x_train.npy", npyBytes("|u1", "(3, 1, 1, 2)", "abcdef"));
  write("x_test.npy", npyBytes("|u1", "(1, 1, 1, 2)", "gh"));

  const auto images = loadNpy(folder());

  BOOST_REQUIRE(images);
  BOOST_TEST(model::toString(images->train.shape) == "1x1x2");
  BOOST_TEST(std::string(images->train.pixels.begin(), images->train.pixels.end()) == "abcdef");
  BOOST_TEST(images->train.values.empty());
}

BOOST_AUTO_TEST_CASE(loads_vectors_of_bytes_and_images_of_numbers_as_values) {
  write("x_train.npy", npyBytes("|u1", "(3, 1)", "\1\2\xFF"));
  write("x_test.npy", npyBytes("<i8", "(1, 1)", bytesOfValues<std::int64_t>({-9})));
  const auto vectors = loadNpy(folder());
  BOOST_REQUIRE(vectors);
  checkNpy(vectors->train, {1, 2, 255}, {0, 2, 1});
  checkNpy(vectors->test, {-9}, {2});

  write("x_train.npy", npyBytes("<i4", "(3, 1, 1, 1)", bytesOfValues<std::int32_t>({1, -2, 3})));
  write("x_test.npy", npyBytes("<f4", "(1, 1, 1, 1)", bytesOfValues<float>({0.5F})));
  const auto images = loadNpy(folder());
  BOOST_REQUIRE(images);
  BOOST_TEST(model::toString(images->train.shape) == "1x1x1");
  checkNpy(images->train, {1, -2, 3}, {0, 2, 1});
}

BOOST_AUTO_TEST_CASE(loads_more_than_one_piece) {
  std::vector<double> many(100'003);
  for (std::size_t i = 0; i < many.size(); ++i)
    many[i] = static_cast<double>(i);
  write("x_train.npy", npyBytes("<f8", "(100003, 1)", bytesOfValues(many)));
  write("y_train.npy", npyBytes("|u1", "(100003,)", std::string(100'002, '\1') + '\2'));
  write("x_test.npy", npyBytes("<f4", "(1, 1)", bytesOfValues<float>({1})));

  const auto images = loadNpy(folder());

  BOOST_REQUIRE(images);
  BOOST_TEST(images->train.values[50'000] == 50'000);
  BOOST_TEST(images->train.values[100'002] == 100'002);
}

BOOST_AUTO_TEST_CASE(refuses_a_file_cut_at_any_length_and_one_with_more) {
  for (std::size_t length = 0; length < kX.size(); ++length)
    refuses("x_train.npy", kX.substr(0, length), {});
  refuses("x_train.npy", kX.substr(0, kX.size() - 1),
          {"found 23 bytes of values, but (3, 2) of float32 are 24"});
  refuses("x_train.npy", kX + "x", {"found 25 bytes of values"});
}

BOOST_AUTO_TEST_CASE(believes_no_size_that_the_file_does_not_have) {
  refuses("x_train.npy", npyBytes("<f8", "(16777216, 16)", "abc"), {"found 3 bytes of values"});
  refuses("x_train.npy", npyBytes("<f8", "(16777216, 17)", "abc"), {"more than 2 GiB of values"});
}

BOOST_AUTO_TEST_CASE(refuses_other_ranks) {
  refuses("x_train.npy", npyBytes("|u1", "(3,)", "abc"),
          {"found the shape (3,), expected (samples, features) or", "x[:, np.newaxis]"});
  refuses("x_train.npy", npyBytes("|u1", "(3, 1, 1)", "abc"),
          {"found the shape (3, 1, 1)", "x[:, np.newaxis]"});
  refuses("x_train.npy", npyBytes("|u1", "()", "a"), {"found the shape ()"});
  write("x_train.npy", kX);
  refuses("y_train.npy", npyBytes("|u1", "(3, 1)", "abc"),
          {"found the shape (3, 1), expected one class", "y.ravel()", "argmax"});
}

BOOST_AUTO_TEST_CASE(refuses_what_is_not_finite) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  refuses("x_train.npy", npyBytes("<f4", "(3, 2)", bytesOfValues<float>({1, 2, 3, 4, kNan, 6})),
          {"the value at [2, 0] is not a finite float32", "np.nan_to_num(x)"});
  refuses("x_train.npy", npyBytes("<f8", "(3, 2)", bytesOfValues<double>({1, 1e39, 3, 4, 5, 6})),
          {"the value at [0, 1] is not"});
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_class) {
  refuses("y_train.npy", npyBytes("<f4", "(3,)", bytesOfValues<float>({0, 1, 2})),
          {"found float32, but classes are integers; write y.astype('int64')"});
  refuses("y_train.npy", npyBytes("<i4", "(3,)", bytesOfValues<std::int32_t>({0, -1, 2})),
          {"found the class -1 at [1], expected 0 to 65,535", "np.unique"});
  refuses("y_train.npy", npyBytes("<i8", "(3,)", bytesOfValues<std::int64_t>({0, 1, 65'536})),
          {"found the class 65536 at [2]"});
  refuses("y_train.npy", npyBytes("|u1", "(3,)", std::string(3, '\0')),
          {"all samples have the class 0"});
}

BOOST_AUTO_TEST_CASE(takes_the_largest_class) {
  write("y_train.npy", npyBytes("<i8", "(3,)", bytesOfValues<std::int64_t>({0, 2, 65'535})));

  const auto images = loadNpy(folder());

  BOOST_REQUIRE(images);
  BOOST_TEST(images->classes == kMaxClasses);
}

BOOST_AUTO_TEST_CASE(refuses_arrays_that_do_not_go_together) {
  refuses("y_train.npy", npyBytes("|u1", "(2,)", std::string("\0\1", 2)),
          {"found 2 classes, but " + path("x_train.npy") + " has 3 samples", "class for each"});
  write("y_train.npy", kY);
  refuses("y_test.npy", npyBytes("|u1", "(1,)", "\3"),
          {"found the class 3 at [0], which no sample to train on has", "np.isin"});
  write("y_test.npy", kYTest);
  refuses("x_test.npy", npyBytes("|u1", "(1, 3)", "abc"),
          {"found samples of 3 values, expected 2 values as in " + path("x_train.npy")});
  write("x_train.npy", npyBytes("|u1", "(3, 1, 1, 1)", "abc"));
  refuses("x_test.npy", npyBytes("<f4", "(1, 1, 1, 1)", bytesOfValues<float>({1})),
          {"found samples of 1x1x1 values, expected 1x1x1 pixels (uint8)"});
}

BOOST_AUTO_TEST_CASE(names_what_is_missing) {
  remove("y_test.npy");
  failed(loadNpy(folder()), ErrorCode::kNotFound, {path("y_test.npy"), "or in one data.npz"});
  std::filesystem::create_directory(path("y_test.npy"));
  failed(loadNpy(folder()), ErrorCode::kInvalid, {path("y_test.npy"), "not a regular file"});
}

BOOST_AUTO_TEST_CASE(refuses_files_beside_an_archive) {
  write("some.npz", "");
  failed(loadNpy(folder()), ErrorCode::kInvalid, {path("some.npz"), "beside .npy files"});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(npz, ArchiveFixture)

BOOST_AUTO_TEST_CASE(loads_archives_stored_and_deflated) {
  for (const std::int32_t method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    writeZip(path("any.npz"), entries(), method);
    checkVectors(loadNpy(folder()));
  }
}

BOOST_AUTO_TEST_CASE(loads_what_numpy_wrote) {
  const std::filesystem::path written = SUMAC_NPY_DATA;
  std::filesystem::copy_file(written / "stored.npz", path("data.npz"));
  const auto vectors = loadNpy(folder());
  BOOST_REQUIRE(vectors);
  BOOST_TEST(vectors->classes == 3);
  checkNpy(vectors->train, {1.5F, -2, 3, 4, 5, 6}, {0, 2, 1});
  checkNpy(vectors->test, {7, 8}, {2});

  std::filesystem::copy_file(written / "compressed.npz", path("data.npz"),
                             std::filesystem::copy_options::overwrite_existing);
  const auto images = loadNpy(folder());
  BOOST_REQUIRE(images);
  BOOST_TEST(model::toString(images->train.shape) == "1x3x4");
  BOOST_REQUIRE(images->train.pixels.size() == 24U);
  for (std::size_t i = 0; i < 24; ++i)
    BOOST_TEST(images->train.pixels[i] == i);
  BOOST_TEST(images->train.labels == (std::vector<std::uint16_t>{1, 0}),
             boost::test_tools::per_element());
  BOOST_TEST(int{images->test.pixels[11]} == 255);
}

BOOST_AUTO_TEST_CASE(chooses_data_npz_among_several) {
  writeZip(path("a.npz"), {});
  writeZip(path("b.npz"), {{"x", "y"}});
  write("a.npz", "");
  refusesArchive({path("a.npz") + " and b.npz", "data.npz"});
  writeZip(path("data.npz"), entries());
  checkVectors(loadNpy(folder()));
}

BOOST_AUTO_TEST_CASE(names_the_array_that_is_missing_or_wrong) {
  auto some = entries();
  some.pop_back();
  writeZip(path("data.npz"), some);
  refusesArchive({"there is no y_test.npy in " + path("data.npz"), "np.savez('data.npz'"},
                 ErrorCode::kNotFound);
  some.emplace_back("y_test.npy", "x");
  writeZip(path("data.npz"), some);
  refusesArchive({path("data.npz") + "/y_test.npy: it is no .npy file"});
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_archive) {
  for (const char* content : {"", "x", "PK\3\4 and more"}) {
    write("data.npz", content);
    refusesArchive({path("data.npz") + " as a ZIP archive", "np.savez"});
  }
}

BOOST_AUTO_TEST_CASE(refuses_other_compression) {
  writeZip(path("data.npz"), entries(), ZIP_CM_BZIP2);
  refusesArchive({path("data.npz") + ": x_train.npy: its compression", "np.savez_compressed"});
}

BOOST_AUTO_TEST_CASE(refuses_two_entries_of_one_name) {
  auto twice = entries();
  twice.emplace_back("y_tesT.npy", kYTest);
  writeZip(path("data.npz"), twice);
  std::string content = bytes();
  for (std::size_t at = 0; (at = content.find("y_tesT", at)) != std::string::npos; ++at)
    content[at + 5] = 't';
  write("data.npz", content);
  refusesArchive({"two entries called 'y_test.npy'"});
}

BOOST_AUTO_TEST_CASE(refuses_an_archive_cut_or_with_a_flipped_bit_in_its_values) {
  writeZip(path("data.npz"), entries(), ZIP_CM_STORE);
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    write("data.npz", whole.substr(0, length));
    BOOST_TEST(!loadNpy(folder()).has_value(), length);
  }
  std::string bent = whole;
  bent[whole.find(kX) + kX.size() - 3] ^= 1;  // another number, as sound as before
  write("data.npz", bent);
  refusesArchive({"x_train.npy: it is damaged", "CRC"});
}

BOOST_AUTO_TEST_CASE(inflates_no_more_than_the_head_announces) {
  auto bomb = entries();
  bomb[0].second += std::string(std::size_t{1} << 24U, '\0');
  writeZip(path("data.npz"), bomb);
  BOOST_TEST(std::filesystem::file_size(path("data.npz")) < 40'000U);
  refusesArchive({"x_train.npy: found 16777240 bytes of values, but (3, 2) of float32 are 24"});

  // The same, but the directory says that the entry has the bytes of its array.
  std::string content = bytes();
  const auto size = static_cast<std::uint32_t>(bomb[0].second.size());
  const auto lie = static_cast<std::uint32_t>(kX.size());
  for (std::size_t at = 0;
       (at = content.find(bytesOfValues<std::uint32_t>({size}), at)) != std::string::npos; ++at)
    content.replace(at, 4, bytesOfValues<std::uint32_t>({lie}));
  write("data.npz", content);
  refusesArchive({"x_train.npy: it has bytes after its values"});
}

BOOST_AUTO_TEST_CASE(believes_no_size_that_the_compressed_bytes_cannot_have) {
  writeZip(path("data.npz"), entries());
  std::string content = bytes();
  const auto size = bytesOfValues<std::uint32_t>({static_cast<std::uint32_t>(kX.size())});
  for (std::size_t at = 0; (at = content.find(size, at)) != std::string::npos; ++at)
    content.replace(at, 4, bytesOfValues<std::uint32_t>({0x7F000000}));
  write("data.npz", content);
  refusesArchive({"x_train.npy: it cannot have the 2130706432 bytes"});
}

BOOST_AUTO_TEST_CASE(reads_samples_of_a_shape_or_one_of_them) {
  write("many.npy", kX);
  write("one.npy", npyBytes("<f4", "(2,)", bytesOfValues<float>({1, 2})));
  write("image.npy", npyBytes("|u1", "(1, 1, 2)", "ab"));
  const auto many = loadNpySamples(folder() / "many.npy", {2});
  const auto one = loadNpySamples(folder() / "one.npy", {2});
  const auto image = loadNpySamples(folder() / "image.npy", {1, 1, 2});
  BOOST_REQUIRE(many);
  BOOST_TEST(many->count() == 3);
  BOOST_TEST(many->values.size() == 6U);
  BOOST_REQUIRE(one);
  BOOST_TEST(one->count() == 1);
  BOOST_TEST(one->values == (std::vector<float>{1, 2}), boost::test_tools::per_element());
  BOOST_REQUIRE(image);
  BOOST_TEST(image->pixels.size() == 2U);

  for (const char* shape : {"()", "(1,)", "(3, 1)", "(1, 1, 2)"}) {
    write("other.npy", npyBytes("|u1", shape, std::string(shape[1] == ')' ? 1 : 3, 'a')));
    BOOST_TEST(!loadNpySamples(folder() / "other.npy", {2}), shape);
  }
  failed(loadNpySamples(folder() / "image.npy", {2}), ErrorCode::kInvalid,
         {"found the shape (1, 1, 2), the model takes (2,) or (samples, 2)"});
  failed(loadNpySamples(folder(), {2}), ErrorCode::kInvalid, {"not a regular file"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::npy_test
