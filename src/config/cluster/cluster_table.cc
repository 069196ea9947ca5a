#include "config/cluster/cluster_table.h"

#include "config/yaml/list_reader.h"
#include "core/options/field_builders.h"

namespace ebb::config {
namespace {

using core::OptionValue;
using kubernetes::Autoscaler;
using kubernetes::MonthlyBudget;
using kubernetes::PolicyLimits;

constexpr double kMostDevicesOfNode = 1'000, kMostCores = 10'000, kMostNodes = 100'000;
constexpr double kMostWattsOfNode = 100'000;
constexpr const char *kClusterAutoscaler = "cluster-autoscaler", *kKarpenter = "karpenter";

MemberAccess<NodeGroupSection> AutoscalerName() {
  return {[](const OptionValue& value, NodeGroupSection& s) -> Status {
            s.group.autoscaler = std::get<std::string>(value) == kKarpenter
                                     ? Autoscaler::kKarpenter
                                     : Autoscaler::kClusterAutoscaler;
            return {};
          },
          [](const NodeGroupSection& s) -> std::optional<OptionValue> {
            if (s.group.autoscaler == Autoscaler::kSilent) return std::nullopt;
            return std::string(s.group.autoscaler == Autoscaler::kKarpenter ? kKarpenter
                                                                            : kClusterAutoscaler);
          }};
}

// A choice of two words of which the second sets a switch, and the first does not.
template <typename Object>
MemberAccess<Object> Switch(std::string off, std::string on, bool Object::*member) {
  return {[on, member](const OptionValue& value, Object& object) -> Status {
            object.*member = std::get<std::string>(value) == on;
            return {};
          },
          [off, on, member](const Object& object) -> std::optional<OptionValue> {
            return object.*member ? on : off;
          }};
}

template <typename Find>
SectionKey<NodeGroupSection> OfGroup(core::Field field, Find find) {
  return Key<NodeGroupSection>(std::move(field), find);
}

// Keys that say which nodes a group has.
SectionTable<NodeGroupSection> NodeKeys() {
  using S = NodeGroupSection;
  return {
      OfGroup(
          core::Required(TextField("name", "what its autoscaler calls it", "", "a100-spot")),
          [](auto& s) -> auto& { return s.group.name; }),
      KeyWith<S>(core::Choice("autoscaler", "whose published limits and troubles Ebb reads", "none",
                              "karpenter", {kClusterAutoscaler, kKarpenter}),
                 AutoscalerName()),
      KeyByRule<S>(core::Field{"labels", core::Shape::kTextsByName,
                               "labels by which its nodes are known; required but with karpenter",
                               "the label of the NodePool", "{pool: a100}"},
                   "", ReadNode, &S::labels),
      OfGroup(
          core::Field{"taints", core::Shape::kTexts,
                      "keys of taints of its nodes that keep pods away; those of GPUs need not "
                      "be there",
                      "", "[spot]"},
          [](auto& s) -> auto& { return s.group.taints; }),
      OfGroup(
          TextField("gpu_model", "their label `nvidia.com/gpu.product`", "",
                    "NVIDIA-A100-SXM4-80GB"),
          [](auto& s) -> auto& { return s.group.gpu_model; }),
      OfGroup(
          core::Number("gpus", "GPUs of one node; these or `cores` are required", "0", "8", 0,
                       kMostDevicesOfNode),
          [](auto& s) -> auto& { return s.group.gpus; }),
      OfGroup(
          core::Number("cores", "cores of one node that pods can have", "0", "92", 0, kMostCores),
          [](auto& s) -> auto& { return s.group.cores; })};
}

// Keys that say how many nodes there can be, and how long they take and stay.
SectionTable<NodeGroupSection> LifeKeys() {
  return {
      OfGroup(
          core::Whole("most_nodes",
                      "how many there can be, those that stand included; required without "
                      "`autoscaler`",
                      "what the autoscaler publishes", "4", 0, kMostNodes),
          [](auto& s) -> auto& { return s.group.most_nodes; }),
      OfGroup(
          DurationField("start_up", "from a pod that finds no node to its start on a new one", "5m",
                        "6m"),
          [](auto& s) -> auto& { return s.group.start_up; }),
      OfGroup(
          DurationField("idle_tail", "how long a node stays that runs nothing",
                        "as published, or 10m", "12m"),
          [](auto& s) -> auto& { return s.group.idle_tail; }),
      OfGroup(
          core::In("W", core::Number("idle_power", "power of a node that runs nothing, in watts",
                                     "0", "900", 0, kMostWattsOfNode)),
          [](auto& s) -> auto& { return s.group.idle_power; }),
      OfGroup(
          DurationField("gives_up_after", "a node that has not come by then does not come", "15m",
                        "20m", 1),
          [](auto& s) -> auto& { return s.group.gives_up_after; })};
}

}  // namespace

const SectionTable<NodeGroupSection>& NodeGroupTable() {
  static const SectionTable<NodeGroupSection> table = Joined(NodeKeys(), LifeKeys());
  return table;
}

const SectionTable<PolicyLimits>& PolicyLimitsTable() {
  static const SectionTable<PolicyLimits> table{
      Key<PolicyLimits>(
          WithTypeOf(core::JobOptionOf("threshold").field,
                     TextField("threshold", "highest threshold, in g CO2e per kWh", "", "350")),
          &PolicyLimits::threshold),
      Key<PolicyLimits>(DurationField("start-by", "longest wait from the creation", "", "48h"),
                        &PolicyLimits::start_by),
      Key<PolicyLimits>(WithTypeOf(core::JobOptionOf("priority").field,
                                   TextField("priority", "highest priority", "", "5")),
                        &PolicyLimits::priority),
      Key<PolicyLimits>(core::Number("gpus",
                                     "GPUs of one object; an object that asks for more is held "
                                     "back until the policy allows it",
                                     "", "8", 0, core::kMostDevices),
                        &PolicyLimits::gpus),
      KeyWith<PolicyLimits>(
          core::Choice("on-outage", "`wait`: nobody starts at an unknown intensity", "run", "wait",
                       {"wait", "run"}),
          Switch("run", "wait", &PolicyLimits::waits_in_outage))};
  return table;
}

const SectionTable<MonthlyBudget>& MonthlyBudgetTable() {
  const core::Definition& of_job = core::BudgetDefinition();
  static const SectionTable<MonthlyBudget> table{
      Key<MonthlyBudget>(
          WithTypeOf(of_job.Of("energy_kwh"),
                     TextField("energy_kwh",
                               "energy of the facility in a month, in kWh; this or `emissions_g` "
                               "is required",
                               "", "500")),
          &MonthlyBudget::energy),
      Key<MonthlyBudget>(
          WithTypeOf(of_job.Of("emissions_g"),
                     TextField("emissions_g", "emissions in a month, in g CO2e", "", "120000")),
          &MonthlyBudget::emissions),
      Key<MonthlyBudget>(
          TextField("time_zone", "in which a month begins and ends", "UTC", "Europe/Berlin"),
          &MonthlyBudget::time_zone),
      KeyWith<MonthlyBudget>(
          core::Choice("when_used_up",
                       "whether jobs that run are paused then, if they can be, or finish", "finish",
                       "pause", {"finish", "pause"}),
          Switch("finish", "pause", &MonthlyBudget::pauses))};
  return table;
}

}  // namespace ebb::config
