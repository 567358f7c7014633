#include "tests/papers/das/prediction.h"

#include <array>
#include <cmath>
#include <map>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/papers/architectures.h"
#include "tests/papers/das/published_results.h"

namespace sumac::planner::papers::prediction_test {
namespace {

using boost::test_tools::tolerance;

ScalingPrediction predict(const PublishedSpeedup& published, Parallelism parallelism) {
  const auto list = architecture(published.network);
  BOOST_REQUIRE(list);
  const auto prediction = predictScaling(*list, published.batch,
                                         {.nodes = published.nodes,
                                          .points_per_second = published.points_per_second.value,
                                          .link_bytes_per_second = published.link_bytes_per_second},
                                         parallelism);
  BOOST_REQUIRE(prediction);
  return *prediction;
}

/// "4 4 16": groups of the dense layers.
std::string denseGroups(const PublishedSpeedup& published) {
  const auto list = architecture(published.network);
  const ScalingPrediction prediction = predict(published, Parallelism::kHybrid);
  std::string text;
  for (std::size_t i = 0; i < list->layers.size(); ++i) {
    if (list->layers[i].kind != LayerKind::kDense) continue;
    text += (text.empty() ? "" : " ") + std::to_string(prediction.groups[i]);
  }
  return text;
}

std::string problemWith(std::int64_t batch, const NodeCluster& cluster) {
  const auto prediction =
      predictScaling(*architecture("lenet5"), batch, cluster, Parallelism::kData);
  return prediction ? "none" : prediction.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(d5_prediction)

BOOST_AUTO_TEST_CASE(d8_the_papers_headline_speedups_are_kept_as_published) {
  struct Headline {
    std::int64_t nodes;
    double speedup;
    double efficiency;
  };
  constexpr std::array kHeadlines{Headline{128, 90, 0.703}, Headline{64, 53, 0.828},
                                  Headline{64, 42, 0.656}, Headline{16, 6.5, 0.406},
                                  Headline{16, 14, 0.88}};
  BOOST_REQUIRE(publishedSpeedups().size() == kHeadlines.size() + 1);
  for (std::size_t i = 0; i < kHeadlines.size(); ++i) {
    const PublishedSpeedup& published = publishedSpeedups()[i];
    BOOST_TEST(published.nodes == kHeadlines.at(i).nodes);
    BOOST_TEST(published.speedup.value == kHeadlines.at(i).speedup);
    BOOST_TEST(published.speedup.value / static_cast<double>(published.nodes) ==
                   kHeadlines.at(i).efficiency,
               tolerance(0.01));
    BOOST_TEST(toString(published.speedup.evidence) == "published");
    BOOST_TEST(toString(published.points_per_second.evidence) == "published, from memory");
    BOOST_TEST(published.source.find("1602.06709") != std::string_view::npos);
  }
  BOOST_TEST(toString(publishedSpeedups().back().speedup.evidence) == "published, from memory");
}

BOOST_AUTO_TEST_CASE(d5_hybrid_parallelism_is_an_upper_bound_of_all_six_cases) {
  for (const PublishedSpeedup& published : publishedSpeedups()) {
    BOOST_TEST_CONTEXT(published.name) {
      const double hybrid = predict(published, Parallelism::kHybrid).speedup;
      const double data = predict(published, Parallelism::kData).speedup;

      BOOST_TEST(hybrid >= published.speedup.value);
      BOOST_TEST(hybrid > data);
      BOOST_TEST(hybrid <= static_cast<double>(published.nodes));
    }
  }
}

BOOST_AUTO_TEST_CASE(d5_the_predictions_are_those_of_the_table) {
  struct Row {
    double hybrid;
    double data;
    std::string_view groups;
  };
  constexpr std::array kRows{Row{124, 92, "4 4 16"},  Row{62, 46.5, "2 2 8"},
                             Row{60, 16.5, "4 2 8"},  Row{12.3, 4.0, "4 4 4 4 4 4 4 2"},
                             Row{14.8, 9.3, "1 1 4"}, Row{13.1, 3.2, "2 1 4"}};
  BOOST_REQUIRE(publishedSpeedups().size() == kRows.size());
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    const PublishedSpeedup& published = publishedSpeedups()[i];
    BOOST_TEST_CONTEXT(published.name) {
      BOOST_TEST(predict(published, Parallelism::kHybrid).speedup == kRows.at(i).hybrid,
                 tolerance(0.005));
      BOOST_TEST(predict(published, Parallelism::kData).speedup == kRows.at(i).data,
                 tolerance(0.015));
      BOOST_TEST(denseGroups(published) == kRows.at(i).groups);
    }
  }
}

BOOST_AUTO_TEST_CASE(d5_the_order_of_efficiencies_is_the_papers) {
  std::map<std::string_view, double> efficiency;
  for (const PublishedSpeedup& published : publishedSpeedups())
    efficiency[published.name] = predict(published, Parallelism::kHybrid).efficiency;

  BOOST_TEST(efficiency["vgg-a-64"] > efficiency["overfeat-64"]);
  BOOST_TEST(efficiency["vgg-a-128"] > efficiency["overfeat-64"]);
  BOOST_TEST(efficiency["overfeat-64"] > efficiency["cd-dnn-16"]);
  BOOST_TEST(efficiency["aws-vgg-a-16"] > efficiency["aws-overfeat-16"]);
}

BOOST_AUTO_TEST_CASE(d5_pure_data_parallelism_does_not_reach_most_published_speedups) {
  int reached = 0;
  for (const PublishedSpeedup& published : publishedSpeedups()) {
    const bool is_reached =
        predict(published, Parallelism::kData).speedup >= published.speedup.value;
    reached += is_reached ? 1 : 0;
    if (is_reached) BOOST_TEST(published.name == "vgg-a-128");
  }
  BOOST_TEST(reached == 1);
}

BOOST_AUTO_TEST_CASE(one_node_has_the_speedup_one) {
  const auto prediction = predictScaling(
      *architecture("lenet5"), 64,
      {.nodes = 1, .points_per_second = 100, .link_bytes_per_second = 1e9}, Parallelism::kHybrid);

  BOOST_REQUIRE(prediction);
  BOOST_TEST(prediction->speedup == 1, tolerance(1e-12));
  BOOST_TEST(prediction->step.total == 0.64, tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_are_refused) {
  const NodeCluster good{.nodes = 4, .points_per_second = 100, .link_bytes_per_second = 1e9};
  const auto with = [&](auto change) {
    NodeCluster bad = good;
    change(bad);
    return problemWith(64, bad);
  };

  BOOST_TEST(problemWith(64, good) == "none");
  for (const std::string& problem :
       {problemWith(0, good), with([](NodeCluster& bad) { bad.nodes = 0; }),
        with([](NodeCluster& bad) { bad.points_per_second = std::nan(""); }),
        with([](NodeCluster& bad) { bad.link_bytes_per_second = 0; }),
        with([](NodeCluster& bad) { bad.latency_seconds = -1; })}) {
    BOOST_TEST(problem.rfind("prediction of scaling: found ", 0) == 0U, problem);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::papers::prediction_test
