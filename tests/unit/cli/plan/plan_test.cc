#include "cli/plan/plan.h"

#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "planner/machines/amount.h"
#include "tests/unit/cli/plan/planned.h"

namespace sumac::cli {
namespace {

constexpr const char* kMachines = R"(apiVersion: sumac.dev/v1alpha1
kind: MachineTypes
metadata: {name: some}
spec:
  types:
    - name: big
      memory: {value: 16Gi, kind: published, source: a data sheet, date: 2026-01-31}
      linkRate: {value: 10Gbit, kind: published, source: a data sheet, date: 2026-01-31}
      price: {perHour: "1.20", currency: USD, source: a price list, date: 2026-02-28}
)";

/// The message of a call that gives no answer: one line.
std::string problemOf(const Planned& planned) {
  BOOST_TEST((planned.code == ExitCode::kBadConfiguration));
  BOOST_TEST(planned.out == "");
  BOOST_TEST(planned.err.find('\n') == planned.err.size() - 1, planned.err);
  return planned.err;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plan_job, PlanCalls)

BOOST_AUTO_TEST_CASE(the_table_says_what_and_why_and_from_where) {
  const Planned planned = call();

  BOOST_TEST((planned.code == ExitCode::kDone), planned.err);
  for (const char* const part :
       {"planned (lenet5), one member a machine like synthetic", "Recommended: ", "A step takes ",
        "Best ways:\nWORKERS   SERVERS   EXCHANGE", "THREADS", "MARGIN",
        "A margin (±) is the spread", "error of the model  ",
        "Best way for each number of workers:", "Rules of Zou et al. 2017:",
        "What would change the answer:", "measured   sumac profile on synthetic",
        "fp16: messages are as long with bf16, which is compared",
        "note: The links are those measured over 127.0.0.1"})
    BOOST_TEST(has(planned.out, part), part << " is not in\n" << planned.out);
  BOOST_TEST(!has(planned.out, "Parallel strategies"));  // one worker divides nothing
}

BOOST_AUTO_TEST_CASE(several_workers_are_compared_with_other_strategies) {
  std::string job(kPlannedJob);
  job.replace(job.find("batchSize: 64"), 13, "batchSize: 512");
  const Planned planned = call(job);

  BOOST_TEST((planned.code == ExitCode::kDone), planned.err);
  BOOST_TEST(has(planned.out, "data+filter"), planned.out);
  BOOST_TEST(has(planned.out, "not available in this version"), planned.out);
}

BOOST_AUTO_TEST_CASE(json_and_yaml_have_the_same_answer) {
  options.format = PlanFormat::kJson;
  const auto json = nlohmann::json::parse(call().out);
  options.format = PlanFormat::kYaml;
  const std::string yaml = call().out;

  const auto& way = json.at("ways").at(json.at("recommended").get<std::size_t>());
  BOOST_TEST(json.at("kind") == "Plan");
  BOOST_TEST(json.at("byWorkers").size() == 8U);
  BOOST_TEST(way.at("obstacles").empty());
  BOOST_TEST(way.at("threads").get<int>() >= 1);
  BOOST_TEST(way.at("marginShare").get<double>() >= 0);
  BOOST_TEST(way.at("step").at("seconds").get<double>() * way.at("steps").get<double>() ==
                 way.at("seconds").get<double>(),
             boost::test_tools::tolerance(1e-9));
  BOOST_TEST(has(yaml, "recommended: " + std::to_string(json.at("recommended").get<int>())));
}

BOOST_AUTO_TEST_CASE(a_machine_type_gives_its_link_memory_and_price) {
  write("machines.yaml", kMachines);
  options.machines = file("machines.yaml");
  options.machine = "big";
  options.goal = planner::PlanGoal::kCost;
  options.budget = Money{1, "USD"};

  const Planned planned = call();

  BOOST_TEST((planned.code == ExitCode::kDone), planned.err);
  for (const char* const part :
       {"one member a machine of type big", "budget 1.00 USD", "10 Gbit/s", "published",
        "a price list, 2026-02-28", "1.20 USD an hour", "of 16.0 GiB"})
    BOOST_TEST(has(planned.out, part), part << " is not in\n" << planned.out);
}

BOOST_AUTO_TEST_CASE(costs_of_convolutions_are_answered_and_are_no_advice) {
  const std::string head =
      "apiVersion: sumac.dev/v1alpha1\nkind: ConvolutionCosts\nmetadata: {name: ours}\n"
      "spec: {source: a library, date: 2026-11-23, workspaceBytes: 64, layers: ";
  const std::string algorithms =
      ", algorithms: [{name: fft, seconds: \"0.5\", workspaceBytes: 32}]}";
  write("costs.yaml", head + "[{name: conv1" + algorithms + ", {name: conv2" + algorithms + "]}\n");
  options.convolutions = file("costs.yaml");
  options.page = file("plan.html");

  const Planned table = call();
  options.format = PlanFormat::kJson;
  const auto json = nlohmann::json::parse(call().out).at("convolutions");

  BOOST_TEST(has(table.out, "conv2   fft         500 ms   "), table.out);
  BOOST_TEST(has(table.out, "not advice for this version, whose engine has one algorithm a layer"));
  BOOST_TEST(json.at("layers").size() == 2U);
  BOOST_TEST(json.at("seconds") == 1.0);
  BOOST_TEST(json.at("optimal") == true);
  BOOST_TEST(has(json.at("remark").get<std::string>(), "not advice"));
  const auto page = readTextFile(options.page, 1U << 22U);
  BOOST_TEST_REQUIRE(page.has_value());
  BOOST_TEST(has(*page, "Algorithms of the convolutions"));
  BOOST_TEST(has(*page, "not advice for this version"));

  write("costs.yaml", head + "[{name: conv1}]}\n");
  BOOST_TEST(has(problemOf(call()), "spec.layers[0].algorithms"));
}

BOOST_AUTO_TEST_CASE(the_jobs_own_cpu_limit_is_the_threads_of_a_worker) {
  const std::string worker = "worker: {replicas: 2, minReplicas: 1, maxReplicas: 4";
  const auto callWith = [&](const std::string& cpu) {
    std::string job(kPlannedJob);
    job.replace(
        job.find(worker), worker.size(),
        worker + ", template: {spec: {containers: [{name: sumac, resources: {limits: {cpu: " + cpu +
            "}}}]}}");
    const Planned planned = call(job);
    BOOST_TEST((planned.code == ExitCode::kDone), planned.err);
    return planned.out;
  };

  BOOST_TEST(has(callWith("4"), "note: The job's limits.cpu gives a worker 4 cores"));
  BOOST_TEST(has(callWith("500m"), "note: The job's limits.cpu gives a worker 0.5 cores"));
  BOOST_TEST(!has(callWith("1"), "limits.cpu"));
}

BOOST_AUTO_TEST_CASE(limits_that_no_way_keeps_are_an_answer_with_its_own_code) {
  options.deadline_seconds = 1e-5;
  const Planned table = call();
  options.is_applied = true;
  const Planned applied = call();

  BOOST_TEST((table.code == ExitCode::kFailed));
  BOOST_TEST(has(table.out, "No way meets the deadline of 10 us"), table.out);
  BOOST_TEST((applied.code == ExitCode::kFailed));
  BOOST_TEST(applied.out == "");
  BOOST_TEST(has(applied.err, "error: No way meets the deadline"), applied.err);
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
  const std::string table = call().out;
  options.is_applied = true;
  const auto applied = job::readJob(call().out, "applied.yaml", {}, false);

  BOOST_TEST_REQUIRE(applied.job.has_value(), job::problemList(applied.problems));
  const job::TrainingSpec& training = applied.job->training;
  BOOST_TEST_REQUIRE(training.batch_size > 64);
  BOOST_TEST(has(table, "for " + std::to_string(training.steps.value()) + " steps"), table);
}

BOOST_AUTO_TEST_CASE(profiles_are_put_together) {
  const JobProfile whole = profile();
  JobProfile first = whole;
  first.batches.resize(1);
  JobProfile second = whole;
  second.batches.front().forward = {1, 1, 1};  // the first file's counts
  const auto stepsWith = [this] {
    options.format = PlanFormat::kJson;
    return nlohmann::json::parse(call().out).at("ways");
  };
  const auto wanted = stepsWith();
  write("first.json", toJson(first));
  write("second.json", toJson(second));
  options.profiles = {file("first.json"), file("second.json")};
  BOOST_TEST(stepsWith() == wanted);

  second.subject.sha256 = std::string(64, '1');
  write("second.json", toJson(second));
  BOOST_TEST(has(problemOf(call()), "second.json: the profile is of another network lenet5"));
  second = whole;
  second.machine.cores += 1;
  write("second.json", toJson(second));
  BOOST_TEST(has(problemOf(call()), "second.json: the profile is of another machine than "));
}

BOOST_AUTO_TEST_CASE(profiles_of_something_else_are_refused_with_one_sentence) {
  const auto with = [this](auto&& change) {
    JobProfile profile = PlanCalls::profile();
    change(profile);
    write("profile.json", toJson(profile));
    return problemOf(call());
  };
  BOOST_TEST(has(with([](JobProfile& p) { p.subject.network = "vgg"; }), "of the network vgg"));
  BOOST_TEST(has(with([](JobProfile& p) { p.subject.sha256[0] ^= 1; }), "another network"));
  BOOST_TEST(has(with([](JobProfile& p) { p.subject.optimizer = "adam"; }), "optimizer adam"));
  BOOST_TEST(has(with([](JobProfile& p) { p.version = "0.0.1"; }), "of Sumac 0.0.1"));
  BOOST_TEST(has(with([](JobProfile& p) { p.links.clear(); }), "no measurement of tcp links"));
  BOOST_TEST(has(with([](JobProfile& p) { p.batches.clear(); }), "has no batches"));
}

BOOST_AUTO_TEST_CASE(samples_of_the_job_are_not_replaced_and_make_at_least_a_step) {
  options.samples = 60'000;
  BOOST_TEST(has(problemOf(call()), "the job's data has 800 samples; leave --samples out"));
  options.samples = 800;
  BOOST_TEST((call().code == ExitCode::kDone));
  options.samples = 5;
  std::string job(kPlannedJob);
  const std::string data = "{name: fashion-mnist-mini}";
  job.replace(job.find(data), data.size(), "{format: idx, path: /data}");
  BOOST_TEST(has(problemOf(call(job)), "--samples 5: an epoch would have no step"));
}

BOOST_AUTO_TEST_CASE(options_that_mean_nothing_are_refused_or_noted) {
  options.page = "-";
  BOOST_TEST((call().code == ExitCode::kUsage));
  BOOST_TEST(!std::filesystem::exists("-"));
  options.page = file(".");
  BOOST_TEST((call().code == ExitCode::kUsage));
  options.page.clear();
  options.machine = "here";
  options.machines = file("machines.yaml");
  const Planned here = call();
  BOOST_TEST((here.code == ExitCode::kUsage));
  BOOST_TEST(has(here.err, "--machine here is this machine"), here.err);
  options.machine.clear();
  options.machines.clear();
  options.link_bytes_per_second = 1.25e12;
  const Planned fast = call();
  BOOST_TEST(has(fast.out, "note: Links of 10000 Gbit/s are faster than messages"), fast.out);
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
  BOOST_TEST(has(planned.out, "Recommended: "));
  BOOST_TEST(has(planned.err, "none/plan.html"), planned.err);
}

BOOST_AUTO_TEST_CASE(a_price_of_the_future_is_refused) {
  std::string machines(kMachines);
  const std::string date = "2026-02-28";
  machines.replace(machines.find(date), date.size(), "2099-02-28");
  write("machines.yaml", machines);
  options.machines = file("machines.yaml");
  options.machine = "big";
  BOOST_TEST(has(problemOf(call()), "found 2099-02-28, which lies in the future"));
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_read_are_named) {
  options.profiles = {file("none.json")};
  BOOST_TEST(has(problemOf(call()), "none.json"));
  write("profile.json", "{}");
  options.profiles = {file("profile.json")};
  BOOST_TEST(has(problemOf(call()), "profile.json: "));
  write("profile.json", toJson(profile()));
  options.machine = "big";
  BOOST_TEST(has(problemOf(call()), "nothing is known of machine type big"));
  write("machines.yaml", kMachines);
  options.machines = file("machines.yaml");
  options.machine = "small";
  BOOST_TEST(has(problemOf(call()), "has no machine type small; it has big"));
  options.machine.clear();
  BOOST_TEST(has(problemOf(call()), "has the types big: name one with --machine"));
}

BOOST_AUTO_TEST_CASE(money_needs_a_price_in_its_currency) {
  options.goal = planner::PlanGoal::kCost;
  BOOST_TEST(has(problemOf(call()), "no price is known"));
  write("machines.yaml", kMachines);
  options.machines = file("machines.yaml");
  options.machine = "big";
  options.budget = Money{5, "EUR"};
  BOOST_TEST(has(problemOf(call()), "the budget is in EUR, the price of big in USD"));
}

BOOST_AUTO_TEST_CASE(an_epoch_of_unknown_length_asks_for_the_samples) {
  std::string job(kPlannedJob);
  const std::string data = "{name: fashion-mnist-mini}";
  job.replace(job.find(data), data.size(), "{format: idx, path: /data}");
  BOOST_TEST(has(problemOf(call(job)), "give the number of training samples with --samples"));

  options.samples = 6400;
  BOOST_TEST(has(call(job).out, "for 1000 steps"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
