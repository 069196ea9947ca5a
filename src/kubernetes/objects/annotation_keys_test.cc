#include "kubernetes/objects/annotation_keys.h"

#include <gtest/gtest.h>

#include "kubernetes/cluster_world_for_test.h"

namespace ebb::kubernetes {
namespace {

TEST(AnnotationKeys, WhatIsMistypedHasTheNearestKeyBesideIt) {
  EXPECT_EQ(WhyNoAnnotation("ebb/duration"), "");
  EXPECT_EQ(WhyNoAnnotation("ebb/energy-j"), "") << "Ebb has written it";
  EXPECT_EQ(WhyNoAnnotation("example.com/durations"), "") << "it is not ours";
  EXPECT_EQ(WhyNoAnnotation("ebb/durations"),
            "ebb/durations: Ebb knows no such annotation (did you mean \"ebb/duration\"?)");
  EXPECT_EQ(WhyNoAnnotation("ebb/start_by"),
            "ebb/start_by: Ebb knows no such annotation (did you mean \"ebb/start-by\"?)");
  EXPECT_EQ(WhyNoAnnotation("ebb/colour-of-power"),
            "ebb/colour-of-power: Ebb knows no such annotation");
  EXPECT_EQ(WhyNoLabel("ebb/wiat"),
            "ebb/wiat: Ebb knows no such label (did you mean \"ebb/wait\"?)");
}

TEST(AnnotationKeys, WhatIsInTheWrongPlaceIsTold) {
  EXPECT_EQ(WhyNoLabel("ebb/wait"), "");
  EXPECT_EQ(WhyNoLabel("ebb/threshold"),
            "ebb/threshold: is a label here; Ebb reads the annotation");
  EXPECT_EQ(WhyNoAnnotation("ebb/gang"), "ebb/gang: is an annotation here; Ebb reads the label");
  EXPECT_EQ(WhyNotOnNamespace("ebb/wait"), "");
  EXPECT_EQ(WhyNotOnNamespace("ebb/threshold"),
            "ebb/threshold: Ebb does not read it on a namespace; a policy can have it");
}

using MistypedTest = ClusterTest;

TEST_F(MistypedTest, AnEventOnTheObjectSaysSo) {
  Json object = JobObject("train", {{"ebb/durations", "2h"}, {"ebb/checkpointable", "yes"}});
  object["metadata"]["labels"]["ebb/threshold"] = "200";
  object["metadata"]["labels"]["ebb/wait"] = "true";
  server().Create(kJobs, object);
  world_.Submitted();
  const EventSubject subject{"", "", "default", "train",
                             server().Get(kJobs, "train")["metadata"]["uid"]};
  const auto event = [&] {
    return server().Get("/api/v1/events", EventName(subject, EventReason::kBadAnnotation));
  };
  ASSERT_TRUE(world_.Until([&] { return !event().is_null(); }));
  EXPECT_EQ(event()["message"],
            "ebb/durations: Ebb knows no such annotation (did you mean \"ebb/duration\"?); "
            "ebb/threshold: is a label here; Ebb reads the annotation; "
            "ebb/checkpointable: \"yes\" is not \"true\" or \"false\"");
}

// Without a report the object would run at once, and nobody would know why.
TEST_F(MistypedTest, AnObjectThatWantedToWaitIsToldThoughItDoesNot) {
  Json object = JobObject("eager");
  object["metadata"]["annotations"] = {{"ebb/wiat", "true"}, {"ebb/duration", "2h"}};
  object["spec"]["suspend"] = false;
  server().Create(kJobs, object);
  const EventSubject subject{"", "", "default", "eager",
                             server().Get(kJobs, "eager")["metadata"]["uid"]};
  EXPECT_TRUE(world_.Until([&] {
    const Json event =
        server().Get("/api/v1/events", EventName(subject, EventReason::kBadAnnotation));
    return !event.is_null() &&
           event["message"] ==
               "ebb/wiat: Ebb knows no such annotation (did you mean \"ebb/wait\"?)";
  }));
  EXPECT_EQ(executor().reconciler().size(), 0u);
  EXPECT_TRUE(server().PatchesOf("eager").empty());
}

TEST_F(MistypedTest, WhatANamespaceCannotSayIsLogged) {
  server().Create("/api/v1/namespaces",
                  {{"metadata", {{"name", "team"}, {"annotations", {{"ebb/threshold", "200"}}}}}});
  EXPECT_TRUE(world_.Until([&] {
    return std::ranges::count(world_.said_,
                              "namespace team: ebb/threshold: Ebb does not read it on a "
                              "namespace; a policy can have it") == 1;
  }));
}

}  // namespace
}  // namespace ebb::kubernetes
