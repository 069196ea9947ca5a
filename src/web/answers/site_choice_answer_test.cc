#include "web/answers/site_choice_answer.h"

#include <gtest/gtest.h>

#include "web/answers/job_json.h"

namespace ebb::web {
namespace {

const Time kNow = *ParseTime("2023-05-01T17:00");

plan::SiteChoice ChoiceOf(int site, double grams, bool late = false) {
  plan::SiteChoice choice;
  choice.site = site;
  choice.best.emplace();
  choice.best->pool = site;
  choice.best->time = {kNow, kNow + std::chrono::hours{2}};
  choice.best->expected = {grams};
  choice.best->late = late;
  return choice;
}

TEST(SiteChoiceAnswer, TheFewestGramsComeFirstAndTheImpossibleLast) {
  core::Cluster cluster;
  for (const char* name : {"here", "late", "norway", "closed"})
    cluster.sites.push_back({name, "Z", {1}});
  const auto answers = SiteChoiceAnswers(
      cluster, {ChoiceOf(0, 200), ChoiceOf(1, 1, true), ChoiceOf(2, 20), plan::SiteChoice{3, {}}});
  std::vector<std::string> sites;
  for (const SiteChoiceAnswer& answer : answers) sites.push_back(answer.site);
  EXPECT_EQ(sites, (std::vector<std::string>{"norway", "here", "late", "closed"}));
}

TEST(SiteChoiceAnswer, SaysWhatTheMoveTakes) {
  plan::SiteChoice choice = ChoiceOf(0, 20);
  EXPECT_EQ(report::ToJson(SiteChoiceAnswer{"norway", choice}),
            R"({"site":"norway","start":"2023-05-01T17:00:00Z","end":"2023-05-01T19:00:00Z",)"
            R"("expected_g":20.0})");
  choice.best->moving = std::chrono::seconds{8};
  choice.best->move_energy = Energy::Joules(3.6e6);
  choice.best->late = true;
  EXPECT_EQ(report::ToJson(SiteChoiceAnswer{"norway", choice}),
            R"({"site":"norway","start":"2023-05-01T17:00:00Z","end":"2023-05-01T19:00:00Z",)"
            R"("expected_g":20.0,"move_s":8.0,"move_kwh":1.0,"late":true})");
}

TEST(SiteChoiceAnswer, WithoutAPlanSaysWhy) {
  plan::SiteChoice choice;
  choice.no_plan = plan::NoPlan::kUnknownGrid;
  EXPECT_EQ(report::ToJson(SiteChoiceAnswer{"norway", choice}),
            R"({"site":"norway","why_not":"intensity unknown"})");
}

TEST(SiteChoiceAnswer, StandsInTheAnswerAboutOneJob) {
  core::Submission submission;
  service::JobCard card;
  card.submission = std::make_shared<const core::Submission>(submission);
  JobAnswer answer{.card = &card};
  EXPECT_EQ(report::ToJson(answer).find("site_choices"), std::string::npos);
  answer.site_choices = {{"norway", ChoiceOf(0, 20)}};
  EXPECT_NE(report::ToJson(answer).find(R"("site_choices":[{"site":"norway")"), std::string::npos);
}

}  // namespace
}  // namespace ebb::web
