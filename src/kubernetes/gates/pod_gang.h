#pragma once
// Pods that are held back by a scheduling gate (spec.schedulingGates: "ebb/wait"), put together to
// gangs: the pods of one label "ebb/gang", or of one owner, or a pod alone. Each gang is one object
// for the reconciler, which is released when all its pods are there and all fit.
//
// A gate can be removed and never be put back, so a gang cannot be paused. A pod that its owner
// makes anew while the gang runs is let through at once. A gang has ended when all its pods have;
// pods that come after that wait anew. When its first pod was created is kept as an annotation, so
// that its deadlines hold though pods are made anew.
//
// Thread contract: that of ApiClient.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/json_node.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/devices/device_claims.h"
#include "kubernetes/nodes/capacity.h"
#include "kubernetes/objects/gated_object.h"

namespace ebb::kubernetes {

/// Annotation written by Ebb: the creation time of the gang's first pod.
inline constexpr const char* kFirstCreatedKey = "ebb/first-created";

struct PodGangOptions {
  ObjectDefaults defaults;
  bool dry_run = false;      ///< no gate is removed
  std::string name_space{};  ///< the only namespace; empty: all
  /// A gang without any pod for this long is gone: one that runs, and one that waits.
  Duration runs_on_for{30'000}, waits_on_for{std::chrono::minutes{10}};
  Duration again_after{10'000};   ///< time before another try to remove a gate
  Duration late_release{30'000};  ///< ObjectReconcilerOptions::late_release
};

class PodGangs {
 public:
  /// `is_released`: the pod belongs to an object that was released as a whole (e.g. a Job that is
  /// suspended, too), so it has waited already. `now` is a clock that nobody sets.
  PodGangs(ApiClient& client, std::function<bool(const PodOwner&)> is_released,
           std::function<Duration()> now, std::function<void(const std::string&)> say,
           PodGangOptions options);
  ~PodGangs();
  PodGangs(const PodGangs&) = delete;
  PodGangs& operator=(const PodGangs&) = delete;

  void TakePod(const JsonNode& pod);
  void DropPod(const std::string& uid);
  /// Call it when other policies of namespaces are in force: all gangs are reported anew.
  void PoliciesChanged();
  /// Call it when these claims have changed: their gangs are reported anew.
  void ClaimsChanged(const ClaimChanges& changes);
  /// The gang of a pod; "" if it belongs to none.
  std::string GangOf(const std::string& pod_uid) const;

  struct News {
    std::vector<std::string> gone;     ///< uids, to be handled first
    std::vector<GatedObject> changed;  ///< oldest first
  };
  /// Changes since the last call.
  News TakeNews();
  /// Tells if all its pods exist now.
  bool IsWhole(const std::string& uid) const;
  /// Removes the gates of all its pods. `done`: as for a change of one object; an Error or a status
  /// other than 200 only if no gate could be removed. The other gates follow.
  void Release(const std::string& uid, int attempt, ApiClient::Done done);

  /// Sends the requests that are due. Call it before each wait.
  void Tick();
  std::optional<Duration> NextDue() const;

 private:
  struct Removal {  // of its gate
    bool under_way = false;
    bool awaited = false;  // the release of its gang waits for it
    int tries = 0;
    Duration due{};
    std::optional<Error> unsure;  // no answer came: the gate may be gone
  };
  struct Member {
    std::string uid, name, version, gang, gang_name;
    PodOwner owner;
    Time created{};
    std::optional<std::size_t> gate;  // index among the pod's gates
    bool ended = false, succeeded = false, deleting = false;
    int size = 0, attempt = 0;
    std::optional<Time> first_created;
    std::map<std::string, std::string> annotations;
    PodRequests requests;
    Removal removal;
  };
  struct Releasing {
    ApiClient::Done done;
    int attempt_before = 0;
    int left = 0;
    bool any = false;
  };
  struct Gang {
    std::string name, name_space;
    std::map<std::string, std::string> members;  // name and uid -> uid
    int generation = 0;
    int size = 0, attempt = 0;  // 0: unknown
    std::optional<Time> first_created;
    bool released = false, ended = false, succeeded = false, told = false;
    bool with_owner = false;  // its owner has waited and was released
    std::optional<Duration> empty_since;
    std::optional<Releasing> releasing;
  };
  struct Counts {
    int gated = 0, running = 0, ended = 0, succeeded = 0;
  };

  std::optional<Member> ReadMember(const JsonNode& pod) const;
  void Leave(const Member& member);
  Counts CountsOf(const Gang& gang) const;
  void Judge(const std::string& key, Gang& gang, News& news);
  void NoteEmpty(const std::string& key, Gang& gang);
  void Remember(Gang& gang, const Counts& counts);
  void BeginAnew(const std::string& key, Gang& gang, News& news);
  void LetThrough(Gang& gang);
  bool IsReleasedWithOwner(const Gang& gang) const;
  GatedObject ObjectOf(const std::string& key, const Gang& gang, const Counts& counts) const;
  void RemoveGate(Member& member, Duration patience);
  void TakeRemoved(const std::string& uid, const Result<ApiAnswer>& answer);
  void ReadAgain(const Member& member);
  void TakeRead(const std::string& uid, const Result<ApiAnswer>& answer);
  void Settle(const std::string& uid, const Result<ApiAnswer>& answer);
  void CountDown(Gang& gang, bool done, const Result<ApiAnswer>& answer);

  ApiClient& client_;
  std::function<bool(const PodOwner&)> is_released_;
  std::function<Duration()> now_;
  std::function<void(const std::string&)> say_;
  PodGangOptions options_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for answers that come too late
  std::unordered_map<std::string, Member> members_;             // by uid
  std::map<std::string, Gang> gangs_;                           // by key
  std::set<std::string> changed_, empty_;                       // keys
  std::set<std::string> to_pass_;                               // uids of pods that are let through
};

}  // namespace ebb::kubernetes
