#pragma once
// Kueue as far as its admission checks and MultiKueue go, over a fake API server.
//
// Thread contract: the test's thread.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
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

  // An Indexed Job with a GPU for each Pod. `elastic`: Kueue makes slices of it. The slices of "a"
  // are called "a", "a.2", "a.3", and so on.
  void SubmitIndexed(const std::string& name, int pods, bool elastic,
                     std::map<std::string, std::string> annotations) {
    annotations["kueue.x-k8s.io/elastic-job"] = "true";
    Json job = JobObject(name, annotations, 1);
    job["metadata"]["annotations"].erase("ebb/wait");
    job["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "mine"}};
    job["spec"]["completionMode"] = "Indexed";
    job["spec"]["parallelism"] = job["spec"]["completions"] = pods;
    AddSlice(server_.Create(kJobs, job), name, pods, elastic, "");
  }
  // The slices that have not ended, the oldest first.
  std::vector<std::string> Slices(const std::string& job) const {
    std::vector<std::string> slices;
    for (const std::string& name : names_)
      if (JobNameOf(name) == job && !Holds(Get(name), "Finished")) slices.push_back(name);
    return slices;
  }
  int Pods(const std::string& slice) const { return Get(slice)["spec"]["podSets"][0]["count"]; }
  // The Job of the slice has ended.
  void Complete(const std::string& slice) { Finish(slice, "Succeeded"); }
  // How often Kueue has suspended this Job since it ran.
  int Stopped(const std::string& job) const {
    return stopped_.contains(job) ? stopped_.at(job) : 0;
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
    if (suspend) ++stopped_[JobNameOf(name)];
    server_.Patch(kJobs, JobNameOf(name), {{"spec", {{"suspend", suspend}}}});
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
    for (const std::string& job : indexed_) FollowPods(job);
    const auto names = names_;
    for (const std::string& name : names) StepOf(name, Get(name));
  }

 private:
  static std::string JobNameOf(const std::string& slice) {
    return slice.substr(0, slice.find('.'));
  }

  void AddSlice(const Json& job, const std::string& slice, int pods, bool elastic,
                const std::string& replaces) {
    const Json owner{{"apiVersion", "batch/v1"},
                     {"kind", "Job"},
                     {"name", job["metadata"]["name"]},
                     {"uid", job["metadata"]["uid"]}};
    Json annotations = Json::object();
    if (elastic) annotations["kueue.x-k8s.io/elastic-job"] = "true";
    if (!replaces.empty())
      annotations["kueue.x-k8s.io/workload-slice-replacement-for"] = "default/job-" + replaces;
    const Json pod_set{{"name", "main"}, {"count", pods}, {"template", job["spec"]["template"]}};
    server_.Create(
        workloads(),
        {{"metadata",
          {{"name", "job-" + slice}, {"ownerReferences", {owner}}, {"annotations", annotations}}},
         {"spec", {{"queueName", "mine"}, {"podSets", {pod_set}}}},
         {"status",
          {{"admissionChecks", {{{"name", "clean-power"}, {"state", "Pending"}}}},
           {"gpus", pods}}}});
    names_.push_back(slice);
    indexed_.insert(JobNameOf(slice));
    if (!replaces.empty()) replaces_[slice] = replaces;
  }

  void SetPods(const std::string& slice, int pods) {
    Json pod_sets = Get(slice)["spec"]["podSets"];
    if (pod_sets[0]["count"] == pods) return;
    pod_sets[0]["count"] = pods;
    server_.Patch(workloads(), "job-" + slice,
                  {{"spec", {{"podSets", pod_sets}}}, {"status", {{"gpus", pods}}}});
  }

  // EnsureWorkloadSlices of Kueue 0.18.4, as far as one Job with one kind of Pods goes. A Workload
  // that is no slice is only changed while its Job is suspended and it has no quota.
  void FollowPods(const std::string& job) {
    const Json object = server_.Get(kJobs, job);
    const int pods = object["spec"]["parallelism"];
    const auto slices = Slices(job);
    if (slices.empty()) return;
    const std::string last = slices.back();
    const Json workload = Get(last);
    if (pods == Pods(last)) return;
    const bool elastic = workload["metadata"]["annotations"].contains("kueue.x-k8s.io/elastic-job");
    const bool has_quota = Holds(workload, "QuotaReserved");
    if (!has_quota || (elastic && pods < Pods(last))) return SetPods(last, pods);
    if (elastic)
      AddSlice(object, job + "." + std::to_string(++last_slice_), pods, true, last);
    else
      ADD_FAILURE() << "Kueue would suspend " << job << ": it has no matching Workload";
  }

  void Finish(const std::string& slice, const std::string& reason) {
    Json list = ConditionsOf(Get(slice));
    list.push_back({{"type", "Finished"}, {"status", "True"}, {"reason", reason}});
    server_.Patch(workloads(), "job-" + slice, {{"status", {{"conditions", list}}}});
  }

  // GPUs that it needs beside those of the slice that it replaces.
  int Needs(const std::string& name, const Json& workload) const {
    const int gpus = workload["status"]["gpus"];
    const auto replaced = replaces_.find(name);
    const bool has_some =
        replaced != replaces_.end() && Holds(Get(replaced->second), "QuotaReserved");
    return has_some ? gpus - Get(replaced->second)["status"]["gpus"].get<int>() : gpus;
  }

  void StepOf(const std::string& name, const Json& workload) {
    if (Holds(workload, "Finished")) return;
    const bool reserved = Holds(workload, "QuotaReserved"), evicted = Holds(workload, "Evicted");
    if (reserved && evicted) {  // the running pods have ended
      Suspend(name, true);
      return Set(name, {{"QuotaReserved", false}, {"Admitted", false}}, {{"admission", nullptr}});
    }
    if (!workload["spec"].value("active", true)) return reserved ? Evict(name, 0) : void();
    if (reserved) return StepOfReserved(name, workload);
    const Json job = server_.Get(kJobs, JobNameOf(name));
    const bool is_gated = job["metadata"]["annotations"].contains(kGates);
    // One that was ready when it was evicted is out for ever.
    if (is_gated || State(workload) != "Pending" || until_[name] > steps_ ||
        Reserved() + Needs(name, workload) > quota_)
      return;
    Reserve(name);
    const auto replaced = replaces_.find(name);
    if (replaced != replaces_.end() && !Holds(Get(replaced->second), "Finished"))
      Finish(replaced->second, "WorkloadSliceReplaced");
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
  std::map<std::string, int> until_;             // step
  std::set<std::string> indexed_;                // Jobs
  std::map<std::string, std::string> replaces_;  // slices
  std::map<std::string, int> stopped_;           // by Job
  int last_slice_ = 1;
};

}  // namespace ebb::kubernetes
