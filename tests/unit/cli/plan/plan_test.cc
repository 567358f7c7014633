#include "cli/plan/plan.h"

#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/core/version.h"
#include "planner/convolution_choice/given_costs.h"
#include "planner/machines/amount.h"
#include "tests/support/golden.h"
#include "tests/unit/cli/plan/planned.h"

namespace sumac::cli {
namespace {

/// The job with other data than those that come with Sumac.
std::string withOwnData() {
  std::string job(kPlannedJob);
  const std::string data = "{name: fashion-mnist-mini}";
  return job.replace(job.find(data), data.size(), "{format: idx, path: /data}");
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plan_job, PlanCalls)

BOOST_AUTO_TEST_CASE(the_short_answer_is_the_golden_one) {
  test::Transcript answers;
  const auto add = [&](const char* name, std::string_view job) {
    const Planned planned = call(job);
    BOOST_TEST((planned.code == ExitCode::kDone), planned.err);
    answers.add(name, planned.out);
  };
  add("a small job", kPlannedJob);
  options.samples = 6400;
  add("data of its own", withOwnData());
  options.samples.reset();
  write("machines.yaml", kMachines);
  options.machines = file("machines.yaml");
  options.machine = "big";
  options.goal = planner::PlanGoal::kCost;
  options.budget = Money{1, "USD"};
  add("with costs", kPlannedJob);
  options.style.columns = 60;
  add("in 60 columns", kPlannedJob);
  test::checkGolden("cli/plan/short.txt", answers.text());
}

BOOST_AUTO_TEST_CASE(the_wide_answer_has_what_the_short_one_has_and_more) {
  std::string job(kPlannedJob);
  job.replace(job.find("batchSize: 64"), 13, "batchSize: 512");
  const std::string first = call(job).out;
  options.format = PlanFormat::kWide;
  const std::string wide = call(job).out;
  BOOST_TEST(wide.starts_with(first.substr(0, first.rfind("-o wide"))));
  BOOST_TEST(has(wide, "data+filter"), wide);  // several workers: strategies are compared
}

BOOST_AUTO_TEST_CASE(costs_of_convolutions_are_answered_and_are_no_advice) {
  write("costs.yaml", kCosts);
  options.convolutions = file("costs.yaml");
  options.format = PlanFormat::kJson;
  const auto json = nlohmann::json::parse(call().out).at("convolutions");

  BOOST_TEST(json.at("layers").size() == 2U);
  BOOST_TEST(json.at("seconds") == 1.0);
  BOOST_TEST(json.at("optimal") == true);
  BOOST_TEST(json.at("remark") == std::string(planner::kChoiceIsNotAdvice));
  options.format = PlanFormat::kWide;
  BOOST_TEST(has(call().out, planner::kChoiceIsNotAdvice));
}

BOOST_AUTO_TEST_CASE(the_jobs_own_cpu_limit_is_the_threads_of_a_worker) {
  const std::string worker = "worker: {replicas: 2, minReplicas: 1, maxReplicas: 4";
  options.format = PlanFormat::kJson;
  const auto callWith = [&](const std::string& cpu) {
    std::string job(kPlannedJob);
    job.replace(
        job.find(worker), worker.size(),
        worker + ", template: {spec: {containers: [{name: sumac, resources: {limits: {cpu: " + cpu +
            "}}}]}}");
    return has(call(job).out, "limits.cpu");
  };

  BOOST_TEST(callWith("4"));
  BOOST_TEST(callWith("500m"));
  BOOST_TEST(!callWith("1"));
}

BOOST_AUTO_TEST_CASE(the_jobs_own_memory_limit_is_kept) {
  const std::string worker = "worker: {replicas: 2, minReplicas: 1, maxReplicas: 4";
  const auto callWith = [&](const std::string& memory) {
    std::string job(kPlannedJob);
    job.replace(job.find(worker), worker.size(),
                worker +
                    ", template: {spec: {containers: [{name: sumac, resources: {limits: "
                    "{memory: " +
                    memory + "}}}]}}");
    return call(job);
  };

  test::Transcript answers;
  answers.add("enough", callWith("1Gi").out);
  const Planned small = callWith("16Mi");
  BOOST_TEST((small.code == ExitCode::kFailed));
  answers.add("too small", small.out);
  options.member_bytes = 1U << 30;
  answers.add("beside another limit", callWith("16Mi").out);
  test::checkGolden("cli/plan/own_memory_limit.txt", answers.text());
}

BOOST_AUTO_TEST_CASE(a_job_that_sizes_itself_has_its_own_numbers_of_workers_and_exchanges) {
  std::string job = std::string(kPlannedJob) + "  autoscaling: {policy: throughput}\n";
  const std::string bounds = "replicas: 2, minReplicas: 1, maxReplicas: 4";
  job.replace(job.find(bounds), bounds.size(), "replicas: 1, minReplicas: 2, maxReplicas: 4");
  options.format = PlanFormat::kJson;
  const auto json = nlohmann::json::parse(call(job).out);
  for (const auto& way : json.at("ways")) {
    BOOST_TEST(way.at("workers") >= 2);
    BOOST_TEST(way.at("workers") <= 4);
    BOOST_TEST(way.at("codec") == "fp32");
    BOOST_TEST(way.value("algorithm", "") != "ring");
  }
  BOOST_TEST(json.at("byWorkers").size() == 3U);
  BOOST_TEST(has(json.at("notes").dump(), "Of these 2, 4 differ in speed"));

  options.most_workers = 1;
  const Planned refused = call(job);
  BOOST_TEST((refused.code == ExitCode::kBadConfiguration));
  BOOST_TEST(has(refused.err, "spec.worker.minReplicas"), refused.err);
}

BOOST_AUTO_TEST_CASE(limits_that_no_configuration_keeps_are_an_answer_with_its_own_code) {
  options.deadline_seconds = 1e-5;
  BOOST_TEST((call().code == ExitCode::kFailed));
  options.is_applied = true;
  const Planned applied = call();
  BOOST_TEST((applied.code == ExitCode::kFailed));
  BOOST_TEST(applied.out == "");
  BOOST_TEST(has(applied.err, "--deadline "), applied.err);
}

BOOST_AUTO_TEST_CASE(json_and_yaml_have_the_same_answer) {
  options.format = PlanFormat::kJson;
  const auto json = nlohmann::json::parse(call().out);
  options.format = PlanFormat::kYaml;
  const std::string yaml = call().out;

  const auto& one = json.at("ways").at(json.at("recommended").get<std::size_t>());
  BOOST_TEST(json.at("kind") == "Plan");
  BOOST_TEST(json.at("byWorkers").size() == 8U);
  BOOST_TEST(one.at("obstacles").empty());
  BOOST_TEST(one.at("threads").get<int>() >= 1);
  BOOST_TEST(one.at("marginShare").get<double>() >= 0);
  BOOST_TEST(one.at("step").at("seconds").get<double>() * one.at("steps").get<double>() ==
                 one.at("seconds").get<double>(),
             boost::test_tools::tolerance(1e-9));
  BOOST_TEST(has(yaml, "recommended: " + std::to_string(json.at("recommended").get<int>())));
}

BOOST_AUTO_TEST_CASE(applied_it_prints_a_job_that_plans_again) {
  options.is_applied = true;
  const Planned first = call();
  BOOST_TEST((first.code == ExitCode::kDone), first.err);

  options.is_applied = false;
  const Planned again = call(first.out);

  BOOST_TEST((again.code == ExitCode::kDone), again.err);
}

BOOST_AUTO_TEST_CASE(the_page_has_the_answer_and_the_command_that_writes_it) {
  options.page = file("plan page.html");
  options.command = "sumac plan again.yaml";

  const Planned planned = call();

  BOOST_TEST((planned.code == ExitCode::kDone), planned.err);
  const auto page = readTextFile(options.page, 4UL << 20);
  BOOST_TEST_REQUIRE(page.has_value());
  BOOST_TEST(has(*page, "<!doctype html>"));
  BOOST_TEST(has(*page, "sumac plan again.yaml"));
}

BOOST_AUTO_TEST_CASE(another_batch_is_planned_and_applied_with_whole_steps) {
  options.noise_scale = 500;
  options.format = PlanFormat::kJson;
  const auto json = nlohmann::json::parse(call().out);
  const auto& one = json.at("ways").at(json.at("recommended").get<std::size_t>());
  options.is_applied = true;
  const auto applied = job::readJob(call().out, "applied.yaml", {}, false);

  BOOST_TEST_REQUIRE(applied.job.has_value(), job::problemList(applied.problems));
  const job::TrainingSpec& training = applied.job->training;
  BOOST_TEST_REQUIRE(training.batch_size > 64);
  BOOST_TEST(one.at("steps") == training.steps.value());
}

BOOST_AUTO_TEST_CASE(profiles_are_put_together) {
  const JobProfile whole = profile();
  JobProfile first = whole;
  first.batches.resize(1);
  JobProfile second = whole;
  second.batches.front().forward = {1, 1, 1};  // the first file's counts
  const auto all = [this] {
    options.format = PlanFormat::kJson;
    return nlohmann::json::parse(call().out).at("ways");
  };
  const auto wanted = all();
  write("first.json", toJson(first));
  write("second.json", toJson(second));
  options.profiles = {file("first.json"), file("second.json")};
  BOOST_TEST(all() == wanted);
}

/// What gives no answer is refused with one line.
class Refusals : public PlanCalls {
 public:
  void add(const char* name, std::string_view job = kPlannedJob,
           ExitCode code = ExitCode::kBadConfiguration) {
    const Planned planned = call(job);
    BOOST_TEST((planned.code == code), name);
    BOOST_TEST(planned.out == "", name);
    BOOST_TEST(planned.err.find('\n') == planned.err.size() - 1, planned.err);
    std::string text = planned.err;
    for (const std::string& part : {file("").string(), std::string(kVersion)}) {
      for (auto at = text.find(part); at != text.npos; at = text.find(part))
        text.erase(at, part.size());
    }
    said.add(name, text);
  }
  void addProfile(const char* name, void (*change)(JobProfile&)) {
    JobProfile changed = profile();
    change(changed);
    write("profile.json", toJson(changed));
    add(name);
    write("profile.json", toJson(profile()));
  }

  test::Transcript said;
};

BOOST_FIXTURE_TEST_CASE(what_gives_no_answer_is_refused_with_one_line, Refusals) {
  addProfile("another network", [](JobProfile& p) { p.subject.network = "vgg"; });
  addProfile("other layers", [](JobProfile& p) { p.subject.sha256[0] ^= 1; });
  addProfile("another optimizer", [](JobProfile& p) { p.subject.optimizer = "adam"; });
  addProfile("another version", [](JobProfile& p) { p.version = "0.0.1"; });
  addProfile("no links", [](JobProfile& p) { p.links.clear(); });
  addProfile("no batches", [](JobProfile& p) { p.batches.clear(); });
  JobProfile second = profile();
  second.machine.cores += 1;
  write("second.json", toJson(second));
  options.profiles.push_back(file("second.json"));
  add("profiles of two machines");
  options.profiles = {file("none.json")};
  add("no profile");
  write("empty.json", "{}");
  options.profiles = {file("empty.json")};
  add("an empty profile");
  options.profiles = {file("profile.json")};

  options.samples = 60'000;
  add("other samples than the job's");
  options.samples = 5;
  add("too few samples for a step", withOwnData());
  options.samples.reset();
  add("an epoch of unknown length", withOwnData());

  options.page = "-";
  add("a page without a name", kPlannedJob, ExitCode::kUsage);
  options.page = file(".");
  add("a folder as page", kPlannedJob, ExitCode::kUsage);
  options.page.clear();
  options.machines = file("machines.yaml");
  options.machine = "here";
  add("machine types for this machine", kPlannedJob, ExitCode::kUsage);
  options.machines.clear();

  options.machine = "big";
  add("a type without a file");
  write("machines.yaml", kMachines);
  options.machines = file("machines.yaml");
  options.machine = "small";
  add("an unknown type");
  options.machine.clear();
  add("no type");
  std::string future(kMachines);
  future.replace(future.find("2026-02-28"), 10, "2099-02-28");
  write("machines.yaml", future);
  options.machine = "big";
  add("a price of the future");
  write("machines.yaml", kMachines);
  options.budget = Money{5, "EUR"};
  add("a budget in another currency");
  options.budget.reset();
  options.machines.clear();
  options.machine.clear();
  options.goal = planner::PlanGoal::kCost;
  add("a cost without a price");
  options.goal = planner::PlanGoal::kTime;
  write("costs.yaml", "kind: ConvolutionCosts\n");
  options.convolutions = file("costs.yaml");
  add("costs without layers");
  test::checkGolden("cli/plan/refusals.txt", said.text());
}

BOOST_AUTO_TEST_CASE(a_limit_that_is_too_low_names_one_that_is_enough) {
  write("machines.yaml", kMachines);
  options.machines = file("machines.yaml");
  options.machine = "big";
  options.budget = Money{1e-9, "USD"};
  const auto typed = [](const std::string& text, const std::string& option) {
    const auto begin = text.find(option + " ");
    BOOST_TEST_REQUIRE(begin != text.npos, text);
    const auto value = begin + option.size() + 1;
    return text.substr(value, text.find(" is enough", value) - value);
  };
  const std::string poor = call().out;
  options.budget = moneyIn(typed(poor, "--budget")).value();
  BOOST_TEST((call().code == ExitCode::kDone), poor);
  options.budget.reset();
  options.deadline_seconds = 1e-6;
  const std::string late = call().out;
  options.deadline_seconds =
      planner::amountIn(planner::Dimension::kDuration, typed(late, "--deadline")).value();
  BOOST_TEST((call().code == ExitCode::kDone), late);
}

BOOST_AUTO_TEST_CASE(a_page_that_cannot_be_written_does_not_hide_the_answer) {
  options.page = file("none/plan.html");
  const Planned planned = call();
  BOOST_TEST((planned.code == ExitCode::kUsage));
  BOOST_TEST(planned.out != "");
  BOOST_TEST(has(planned.err, "none/plan.html"), planned.err);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
