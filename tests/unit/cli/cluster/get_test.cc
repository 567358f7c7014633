#include "cli/cluster/get.h"

#include <thread>

#include <boost/test/unit_test.hpp>

#include "base/core/exit_code.h"
#include "cli/cluster/describe.h"
#include "cli/cluster/top.h"
#include "tests/support/golden.h"
#include "tests/unit/cli/cluster/cluster_fixture.h"

namespace sumac::cli::get_test {

namespace {

struct Fixture : ClusterFixture {
  int run() { return get(*cluster, options, console); }

  GetOptions options;
};

/// A console that others may look into while a command runs.
class SharedBuffer final : public std::stringbuf {
 public:
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 protected:
  int sync() override {
    {
      const std::lock_guard lock(mutex_);
      text_ = str();
    }
    return 0;
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(get_command, Fixture, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(lists_all_jobs) {
  addJob(jobObject("one"));
  nlohmann::json training = jobObject("two");
  training["status"] = statusObject("Running", condition("Running", "Running"));
  training["status"]["progress"] = progressObject(20);
  addJob(training);

  BOOST_TEST(run() == toInt(ExitCode::kDone));

  test::checkGolden("cli/cluster/get.txt", out.str());
}

BOOST_AUTO_TEST_CASE(says_that_there_are_none_and_is_content) {
  BOOST_TEST(run() == toInt(ExitCode::kDone));
  BOOST_TEST(err.str() == "No jobs in namespace default.\n");

  options.form = Form::kJson;
  BOOST_TEST(run() == toInt(ExitCode::kDone));
  BOOST_TEST(nlohmann::json::parse(out.str())["items"].empty());
}

BOOST_AUTO_TEST_CASE(prints_names_and_whole_objects) {
  addJob(jobObject("one"));
  options.form = Form::kName;
  run();
  BOOST_TEST(out.str() == "trainingjob.sumac.dev/one\n");

  out.str("");
  options.form = Form::kJson;
  options.names = {"one"};
  run();
  BOOST_TEST(nlohmann::json::parse(out.str())["metadata"]["name"] == "one");

  out.str("");
  options.form = Form::kYaml;
  run();
  BOOST_TEST(contains(out.str(), "kind: TrainingJob\n"));
}

BOOST_AUTO_TEST_CASE(shows_what_there_is_and_fails_for_what_is_not) {
  addJob(jobObject("one"));
  options.names = {"one", "two", "../pods"};

  BOOST_TEST(run() == toInt(ExitCode::kFailed));

  test::checkGolden("cli/cluster/get_some.txt", out.str() + err.str());
}

BOOST_AUTO_TEST_CASE(explains_a_cluster_without_the_crd) {
  server.misbehave({.answer = fake::failure(404, "NotFound", "404 page not found")});

  BOOST_TEST(run() == toInt(ExitCode::kFailed));

  BOOST_TEST(contains(err.str(), "apply -k deploy"));
}

BOOST_AUTO_TEST_CASE(goes_on_with_what_changes_until_ctrl_c) {
  addJob(jobObject("one"));
  addJob(jobObject("two"));
  options.watch = true;
  SharedBuffer buffer;
  std::ostream shared(&buffer);
  Console shown{in, shared, err};
  const auto wait_for = [&buffer](const std::string& part) {
    while (!contains(buffer.text(), part))
      std::this_thread::yield();
  };
  const std::jthread controller([&] {
    server.waitFor(1, [](const fake::Seen& seen) { return seen.isWatch(); });
    setStatus("two", statusObject("Running", condition("Running", "Running")));
    wait_for("two    Running");
    server.store().remove(target("one"), nlohmann::json::object());
    wait_for("one    Deleting");
    stop.request_stop();
  });

  BOOST_TEST(get(*cluster, options, shown) == toInt(ExitCode::kInterrupted));

  const std::string text = buffer.text();
  BOOST_TEST(text.find("NAME") == text.rfind("NAME"), text);
  BOOST_TEST(text.find("two    Pending") == text.rfind("two    Pending"), text);
}

BOOST_AUTO_TEST_CASE(stops_watching_when_nobody_reads_any_more) {
  addJob(jobObject("one"));
  options.watch = true;
  out.setstate(std::ios::badbit);  // as a pipe whose reader has gone

  BOOST_TEST(run() == toInt(ExitCode::kInterrupted));
}

BOOST_AUTO_TEST_CASE(describes_a_job_with_its_pods_and_events) {
  const std::string uid = addJob(jobObject("lenet5"));
  addPod(podObject("worker", 1), uid);
  const auto add_event = [this](const std::string& name, const std::string& kind,
                                const std::string& object, const std::string& object_uid) {
    server.store().create(
        {"v1", "events", "default", "", ""},
        {{"metadata", {{"name", name}, {"namespace", "default"}}},
         {"type", "Normal"},
         {"reason", "Reason-" + name},
         {"message", "about " + object},
         {"lastTimestamp", "2026-01-31T12:01:00Z"},
         {"involvedObject", {{"kind", kind}, {"name", object}, {"uid", object_uid}}}});
  };
  add_event("a", "TrainingJob", "lenet5", uid);
  add_event("b", "Pod", "lenet5-worker-1", "any");
  add_event("c", "TrainingJob", "lenet5", "of-a-predecessor");
  add_event("d", "Pod", "lenet5-worker-x-worker-1", "any");

  BOOST_TEST(describe(*cluster, {"lenet5"}, "sumac", console) == toInt(ExitCode::kDone));

  test::checkGolden("cli/cluster/describe_events.txt", out.str());
}

BOOST_AUTO_TEST_CASE(tops_those_that_train_first) {
  addJob(jobObject("a-new"));
  nlohmann::json finished = jobObject("b-finished");
  finished["status"] = statusObject("Succeeded", condition("Succeeded", "Completed"));
  addJob(finished);
  nlohmann::json training = jobObject("c-training");
  training["status"] = statusObject("Running", condition("Running", "Running"));
  training["status"]["progress"] = progressObject(50);
  addJob(training);
  TopOptions once;
  once.once = true;

  test::Transcript shown;
  for (const int columns : {0, 90, 60, 30}) {
    out.str("");
    console.style.columns = columns;
    BOOST_TEST(top(*cluster, once, console) == toInt(ExitCode::kDone));
    shown.add(std::to_string(columns) + " columns", out.str());
  }

  test::checkGolden("cli/cluster/top.txt", shown.text());
}

BOOST_AUTO_TEST_CASE(tops_one_job_until_it_has_ended) {
  addJob(jobObject("one"));
  TopOptions options_of_top;
  options_of_top.name = "one";
  const std::jthread controller([this] {
    server.waitFor(1, [](const fake::Seen& seen) { return seen.isWatch(); });
    auto status = statusObject("Succeeded", condition("Succeeded", "Completed"));
    status["progress"] = progressObject(100);
    setStatus("one", status);
  });

  BOOST_TEST(top(*cluster, options_of_top, console) == toInt(ExitCode::kDone));

  BOOST_TEST(contains(out.str(), "Succeeded"), out.str());
  BOOST_TEST(contains(out.str(), "########]"), out.str());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::get_test
