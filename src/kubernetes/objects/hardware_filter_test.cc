#include "kubernetes/objects/hardware_filter.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/devices/device_profile.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;

JsonNode Node(const Json& json) { return *ParseJson(json.dump(), "test"); }

Json Pod(const Json& affinity, int gpus = 1) {
  Json spec{
      {"containers", {{{"name", "m"}, {"resources", {{"limits", {{"nvidia.com/gpu", gpus}}}}}}}}};
  if (!affinity.is_null()) spec["affinity"] = affinity;
  return {{"spec", spec}};
}

Json Object(const Json& spec) {
  return {{"metadata", {{"uid", "u"}, {"resourceVersion", "7"}}}, {"spec", spec}};
}

// Applies the patch to the object with the JSON library.
Json Patched(const Json& object, const std::vector<std::string>& models) {
  const std::string patch = AvoidModels(TemplatesWithGpus(Node(object)), models, "u", "7");
  return patch.empty() ? object : object.patch(Json::parse(patch));
}

Json Avoiding(const std::vector<std::string>& models) {
  return {{"key", "nvidia.com/gpu.product"}, {"operator", "NotIn"}, {"values", models}};
}

Json Required(const Json& terms) {
  return {{"nodeAffinity",
           {{"requiredDuringSchedulingIgnoredDuringExecution", {{"nodeSelectorTerms", terms}}}}}};
}

TEST(HardwareFilter, GoesByTheProfilesOfModelsAndLetsPassWhatNobodyKnows) {
  const HardwareFilter at_most_300_w{Power{300}, {}}, efficient{{}, 0.7};
  EXPECT_EQ(WhyFiltered(at_most_300_w, "NVIDIA-H100-80GB-HBM3"), "draws up to 700 W");
  EXPECT_EQ(WhyFiltered(at_most_300_w, "NVIDIA-RTX-A5000"), "");
  EXPECT_EQ(WhyFiltered(at_most_300_w, "SOME-CARD"), "");
  EXPECT_EQ(WhyFiltered(efficient, "NVIDIA-A100-SXM4-80GB"), "") << "312 TFLOPS at 400 W";
  EXPECT_EQ(WhyFiltered(efficient, "NVIDIA-GeForce-RTX-3090"), "computes 0.20 TFLOPS per W");
}

// For any limits, exactly the models of the table that are beyond them are excluded.
TEST(HardwareFilter, AgreesWithTheTable) {
  for (const core::DeviceProfile& profile : core::BuiltInDeviceProfiles())
    for (const double watts : {50.0, 250.0, 350.0, 2000.0}) {
      const bool is_beyond = profile.max->watts > watts;
      EXPECT_EQ(!WhyFiltered({Power{watts}, {}}, profile.model).empty(), is_beyond)
          << profile.model;
    }
}

TEST(HardwareFilter, AnAffinityIsMadeWhereThereIsNone) {
  const Json made = Patched(Object({{"template", Pod(nullptr)}}), {"A", "B"});
  EXPECT_EQ(made["spec"]["template"]["spec"]["affinity"],
            Required({{{"matchExpressions", {Avoiding({"A", "B"})}}}}));
}

TEST(HardwareFilter, WhatIsThereStaysAndEachTermIsTightened) {
  const Json zone{{"key", "zone"}, {"operator", "In"}, {"values", {"a"}}};
  const Json fields{{"matchFields", {{{"key", "metadata.name"}}}}};
  const Json terms{{{"matchExpressions", {zone}}}, fields};
  const Json made = Patched(Object({{"template", Pod(Required(terms))}}), {"A"});
  const Json expected{
      {{"matchExpressions", {zone, Avoiding({"A"})}}},
      {{"matchFields", fields["matchFields"]}, {"matchExpressions", {Avoiding({"A"})}}}};
  EXPECT_EQ(made["spec"]["template"]["spec"]["affinity"], Required(expected));
  EXPECT_EQ(Patched(made, {"A"}), made) << "once is enough";
  EXPECT_NE(Patched(made, {"A", "B"}), made);
}

TEST(HardwareFilter, OtherAffinitiesStay) {
  const Json pods{{"podAffinity", {{"x", 1}}}};
  Json made = Patched(Object({{"template", Pod(pods)}}), {"A"});
  const Json& affinity = made["spec"]["template"]["spec"]["affinity"];
  EXPECT_EQ(affinity["podAffinity"], pods["podAffinity"]);
  EXPECT_TRUE(affinity.contains("nodeAffinity"));
}

// A head without GPUs and the pod that submits may be anywhere.
TEST(HardwareFilter, OnlyPodsWithGpusAreKeptAway) {
  const Json spec{{"rayClusterSpec",
                   {{"headGroupSpec", {{"template", Pod(nullptr, 0)}}},
                    {"workerGroupSpecs", {{{"replicas", 2}, {"template", Pod(nullptr)}}}}}},
                  {"submitterPodTemplate", Pod(nullptr)}};
  const auto templates = TemplatesWithGpus(Node(Object(spec)));
  ASSERT_EQ(templates.size(), 1u);
  EXPECT_EQ(templates[0].spec, "/spec/rayClusterSpec/workerGroupSpecs/0/template/spec");
  EXPECT_EQ(AvoidModels(templates, {}, "u", "7"), "");
}

}  // namespace
}  // namespace ebb::kubernetes
