#pragma once
// Kueue as far as its admission checks and MultiKueue go, over a fake API server.
//
// Thread contract: the test's thread.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kubernetes/dispatch/clusters_for_test.h"
#include "kubernetes/fake_api_server_for_test.h"

namespace ebb::kubernetes {

using Json = nlohmann::json;

inline constexpr const char* kJobs = "/apis/batch/v1/jobs";
inline constexpr const char* kGates = "kueue.x-k8s.io/admission-gated-by";

inline Json ConditionsOf(const Json& object) {
  return object.value("status", Json::object()).value("conditions", Json::array());
}

inline bool Holds(const Json& object, const std::string& type) {
  for (const Json& condition : ConditionsOf(object))
    if (condition["type"] == type) return condition["status"] == "True";
  return false;
}

// Treats Workloads of one ClusterQueue as Kueue does, a step at a time. A second of waiting takes a
// tenth of one.
class FakeKueue {
 public:
  FakeKueue(FakeApiServer& server, std::string version, int quota)
      : server_(server), root_("/apis/kueue.x-k8s.io/" + version + "/"), quota_(quota) {
    server.SetAnswer("/apis/kueue.x-k8s.io",
                     {{"kind", "APIGroup"}, {"versions", {{{"version", version}}}}});
    const Json resource{{"name", "nvidia.com/gpu"}, {"nominalQuota", std::to_string(quota)}};
    const Json flavor{{"name", "any"}, {"resources", Json::array({resource})}};
    server.Create(root_ + "clusterqueues",
                  {{"metadata", {{"name", "all"}}},
                   {"spec", {{"resourceGroups", {{{"flavors", Json::array({flavor})}}}}}}});
    server.Create(root_ + "localqueues",
                  {{"metadata", {{"name", "mine"}}}, {"spec", {{"clusterQueue", "all"}}}});
    server.Create(root_ + "admissionchecks", {{"metadata", {{"name", "clean-power"}}},
                                              {"spec", {{"controllerName", "ebb/gate"}}}});
  }

  // From now on the queue sends its Workloads to worker clusters, too: the manager of a MultiKueue.
  void SendTo(const std::vector<std::string>& clusters) {
    sends_ = true;
    server_.Create(root_ + "multikueueconfigs", ConfigObject("workers", clusters));
    server_.Create(checks(), MultiKueueCheckObject("workers", "workers"));
    const Json names{{{"name", "clean-power"}}, {{"name", "workers"}}};
    server_.Patch(queues(), "all",
                  {{"spec", {{"admissionChecksStrategy", {{"admissionChecks", names}}}}}});
  }
  void AddCluster(const std::string& name, const std::map<std::string, std::string>& annotations) {
    server_.Create(clusters(), WorkerClusterObject(name, annotations));
  }
  void SetActive(const std::string& cluster, bool active) {
    const Json object = WorkerClusterObject(cluster, {}, active);
    server_.Patch(clusters(), cluster, {{"status", object["status"]}});
  }
  std::vector<std::string> Nominated(const std::string& job) const {
    return Get(job)["status"].value("nominatedClusterNames", std::vector<std::string>{});
  }
  // A worker admits it. Kueue refuses the name of a cluster that is not nominated.
  bool Admit(const std::string& name, const std::string& cluster) {
    const auto nominated = Nominated(name);
    if (std::ranges::count(nominated, cluster) == 0 || State(Get(name)) != "Ready") return false;
    Json checks = Get(name)["status"]["admissionChecks"];
    checks[1]["state"] = "Ready";
    server_.Patch(workloads(), "job-" + name,
                  {{"status",
                    {{"clusterName", cluster},
                     {"nominatedClusterNames", nullptr},
                     {"admissionChecks", checks}}}});
    return true;
  }

  std::string clusters() const { return root_ + "multikueueclusters"; }
  std::string workloads() const { return root_ + "workloads"; }
  std::string queues() const { return root_ + "clusterqueues"; }
  std::string checks() const { return root_ + "admissionchecks"; }
  Json Get(const std::string& job) const { return server_.Get(workloads(), "job-" + job); }

  // A Job with a queue, and its Workload.
  void Submit(const std::string& name, int gpus,
              const std::map<std::string, std::string>& annotations = {}, bool has_check = true) {
    Json job = JobObject(name, annotations, gpus);
    if (!annotations.contains("ebb/wait")) job["metadata"]["annotations"].erase("ebb/wait");
    job["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "mine"}};
    job = server_.Create(kJobs, job);
    const Json owner{{"apiVersion", "batch/v1"},
                     {"kind", "Job"},
                     {"name", name},
                     {"uid", job["metadata"]["uid"]}};
    const Json pod_set{{"name", "main"}, {"count", 1}, {"template", job["spec"]["template"]}};
    Json checks = Json::array();
    if (has_check) checks.push_back({{"name", "clean-power"}, {"state", "Pending"}});
    if (sends_) checks.push_back({{"name", "workers"}, {"state", "Pending"}});
    Json gates = Json::object();
    if (annotations.contains(kGates)) gates[kGates] = annotations.at(kGates);
    server_.Create(
        workloads(),
        {{"metadata",
          {{"name", "job-" + name}, {"ownerReferences", {owner}}, {"annotations", gates}}},
         {"spec", {{"queueName", "mine"}, {"podSets", {pod_set}}, {"priority", 7}}},
         {"status", {{"admissionChecks", checks}, {"gpus", gpus}}}});
    names_.push_back(name);
  }

  void Set(const std::string& name, const std::map<std::string, bool>& conditions,
           Json status = Json::object()) {
    Json list = Json::array();
    std::map<std::string, bool> all = conditions;
    for (const Json& before : ConditionsOf(Get(name)))
      all.emplace(before["type"], before["status"] == "True");
    for (const auto& [type, holds] : all)
      list.push_back({{"type", type}, {"status", holds ? "True" : "False"}});
    status["conditions"] = list;
    server_.Patch(workloads(), "job-" + name, {{"status", status}});
  }

  void Reserve(const std::string& name) {
    Set(name, {{"QuotaReserved", true}, {"Evicted", false}},
        {{"admission", {{"clusterQueue", "all"}}}});
  }
  void Evict(const std::string& name, int back_off) {
    Json checks = Get(name)["status"]["admissionChecks"];
    for (Json& check : checks) check["state"] = "Pending";
    Set(name, {{"Evicted", true}},
        {{"admissionChecks", checks},
         {"nominatedClusterNames", nullptr},
         {"clusterName", nullptr}});
    until_[name] = steps_ + back_off;
  }
  void Suspend(const std::string& name, bool suspend) {
    server_.Patch(kJobs, name, {{"spec", {{"suspend", suspend}}}});
  }

  int Reserved() const {
    int gpus = 0;
    for (const std::string& name : names_) {
      const Json workload = Get(name);
      if (Holds(workload, "QuotaReserved") && !Holds(workload, "Finished"))
        gpus += workload["status"]["gpus"].get<int>();
    }
    return gpus;
  }

  static std::string State(const Json& workload) {
    const Json& checks = workload["status"]["admissionChecks"];
    return checks.empty() ? "Ready" : checks[0]["state"].get<std::string>();
  }

  void Step() {
    ++steps_;
    for (const std::string& name : names_) StepOf(name, Get(name));
  }

 private:
  void StepOf(const std::string& name, const Json& workload) {
    if (Holds(workload, "Finished")) return;
    const bool reserved = Holds(workload, "QuotaReserved"), evicted = Holds(workload, "Evicted");
    if (reserved && evicted) {  // the running pods have ended
      Suspend(name, true);
      return Set(name, {{"QuotaReserved", false}, {"Admitted", false}}, {{"admission", nullptr}});
    }
    if (!workload["spec"].value("active", true)) return reserved ? Evict(name, 0) : void();
    if (reserved) return StepOfReserved(name, workload);
    const bool is_gated = server_.Get(kJobs, name)["metadata"]["annotations"].contains(kGates);
    // One that was ready when it was evicted is out for ever.
    if (is_gated || State(workload) != "Pending" || until_[name] > steps_ ||
        Reserved() + workload["status"]["gpus"].get<int>() > quota_)
      return;
    Reserve(name);
  }

  void StepOfReserved(const std::string& name, const Json& workload) {
    const bool has_worker = !sends_ || workload["status"].contains("clusterName");
    if (State(workload) == "Ready" && has_worker && !Holds(workload, "Admitted")) {
      Set(name, {{"Admitted", true}});
      return Suspend(name, false);
    }
    if (State(workload) == "Retry") Evict(name, 0);
  }

  FakeApiServer& server_;
  std::string root_;
  int quota_, steps_ = 0;  // steps of 10 ms
  bool sends_ = false;
  std::vector<std::string> names_;
  std::map<std::string, int> until_;  // step
};

}  // namespace ebb::kubernetes
