#include <fstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "cli/run/folder.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::folder_leftovers_test {

/// An output folder with these files, and folders where a name ends in a slash.
class Place {
 public:
  Place(std::initializer_list<std::string> names) {
    for (const std::string& name : names) {
      if (name.ends_with('/')) {
        std::filesystem::create_directories(root_ / name);
      } else {
        std::ofstream(root_ / name) << "x";
      }
    }
  }

  RunFolder folder() const { return RunFolder(root_.path()); }

  std::string problem() const {
    const auto created = folder().create();
    return created ? "" : created.error().message;
  }

 private:
  TemporaryFolder root_;
};

BOOST_AUTO_TEST_SUITE(run_folder_leftovers)

BOOST_AUTO_TEST_CASE(takes_the_folder_of_a_run_that_never_trained_and_clears_it) {
  const Place place({"job.yaml", "server-0.log", "server-0.end", "worker-12.log", "checkpoints/"});

  BOOST_TEST(place.problem() == "");
  BOOST_TEST(std::filesystem::exists(place.folder().job()));  // until the folder is locked

  place.folder().removeLeftovers();
  BOOST_TEST(std::filesystem::is_empty(place.folder().path()));
}

BOOST_AUTO_TEST_CASE(takes_the_folder_of_a_run_that_was_stopped_while_it_wrote_its_job) {
  const Place place({"job.yaml.tmp"});

  BOOST_TEST(place.problem() == "");
}

BOOST_AUTO_TEST_CASE(keeps_a_run_that_trained_and_says_how_to_resume_it) {
  for (const char* const kept : {"metrics.jsonl", "checkpoints/step-1-1/"}) {
    const Place place({"job.yaml", "server-0.log", kept});

    const std::string path = place.folder().path().string();
    BOOST_TEST(place.problem().ends_with("--resume " + path), place.problem());
    place.folder().removeLeftovers();
    BOOST_TEST(std::filesystem::exists(place.folder().job()));
  }
}

BOOST_AUTO_TEST_CASE(takes_and_removes_the_folder_of_a_run_that_says_why_it_never_trained) {
  const Place place({"job.yaml", "server-0.log", "checkpoints/"});
  const JobEnd end{"lenet5", ExitCode::kBadConfiguration, 0, "no data"};
  BOOST_REQUIRE(place.folder().output().writeEnd(end));

  BOOST_TEST(place.problem() == "");
  BOOST_TEST(place.folder().removeUnused());
  BOOST_TEST(!std::filesystem::exists(place.folder().path()));
}

BOOST_AUTO_TEST_CASE(does_not_remove_a_run_that_trained) {
  const Place place({"job.yaml", "server-0.log", "metrics.jsonl"});
  BOOST_REQUIRE(place.folder().output().writeEnd({"", ExitCode::kFailed, 9, "disk full"}));

  BOOST_TEST(!place.folder().removeUnused());
  BOOST_TEST(std::filesystem::exists(place.folder().output().result()));
}

BOOST_AUTO_TEST_CASE(keeps_what_is_not_of_a_run_and_does_not_offer_to_resume_it) {
  const Place place({"worker-1.logs"});

  BOOST_TEST(place.problem() != "");
  BOOST_TEST(place.problem().find("--resume") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(keeps_a_job_document_of_the_user) {
  const Place place({"job.yaml"});

  BOOST_TEST(place.problem() != "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::folder_leftovers_test
