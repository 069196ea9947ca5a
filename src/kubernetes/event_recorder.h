#pragma once
// Tells as Events on an object what is decided about it, so that `kubectl describe` answers why it
// waits and until when.
//
// One Event for each object and reason, which is changed: it counts how often it was told and has
// the newest message. Its name follows from the object and the reason, so that another process
// goes on with it. The server forgets an Event an hour after it was last told. What goes on to hold
// is told again only where the words are others, and not often: who asks nothing new of a cluster
// costs it nothing, and the words as they are stand in the object's annotations.
//
// Events are of core/v1. kubectl describe reads and sorts them by its fields in all versions, and
// of an Event that was made by events.k8s.io/v1 the message can never be changed.
//
// Thread contract: that of ApiClient.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/random.h"
#include "kubernetes/api_client.h"
#include "platform/token_bucket.h"

namespace ebb::kubernetes {

enum class EventReason {
  kWaiting,
  kReleased,
  kPaused,
  kRefused,
  kHeldBackByAnother,
  kLetGo,
  kDryRun,
  // Of the policies of namespaces:
  kPoliciesInForce,
  kBadPolicy,
  // Beside any of the others:
  kNodeStarts,
  kNoNode,
  kBudgetUsedUp,
  kBadAnnotation,
};
/// "HeldBackByAnother".
std::string_view Name(EventReason reason);

struct EventSubject {
  std::string api_version, kind, name_space, name, uid;
};

struct EventOptions {
  /// Of all Events together.
  platform::Rate rate{.per_minute = 5 * 60, .burst = 20};
  Duration again_after{std::chrono::minutes{45}};  ///< the same with other words
  Duration at_least{std::chrono::seconds{30}};     ///< between two of one Event
  std::uint64_t seed = 1;
};

class EventRecorder {
 public:
  /// `now`: the wall clock; `since_boot`: one that nobody sets.
  EventRecorder(ApiClient& client, std::function<Time()> now, std::function<Duration()> since_boot,
                std::function<void(const std::string&)> say, EventOptions options = {});
  ~EventRecorder();
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  /// What holds of an object from now on. News are told soon; other words for the same reason after
  /// a while. `told_before`: how another process has told it, so that it is no news.
  void Tell(const EventSubject& subject, EventReason reason, const std::string& message,
            const std::optional<std::string>& told_before = {});
  /// It does not hold any more, and is not told again, nor at all if it has not been told yet.
  void Rest(const std::string& uid, EventReason reason);
  /// Nothing holds any more but what is beside the others.
  void Rest(const std::string& uid);
  /// The object is gone.
  void Drop(const std::string& uid);

  /// Sends what is due. Call it before each wait.
  void Tick();
  std::optional<Duration> NextDue() const;

 private:
  static constexpr std::size_t kReasons = static_cast<std::size_t>(EventReason::kBadAnnotation) + 1;
  struct Record {
    std::string message, told;
    std::int64_t count = 0;  // so often it was told, as far as is known
    std::optional<Time> first;
    bool exists = false;  // on the server, it seems
    bool used = false;    // was ever told, or is about to be
    bool holds = false;   // and goes on
    bool under_way = false;
    Duration sent_at{};
    std::optional<Duration> due;
  };
  struct Told {
    EventSubject subject;
    std::array<Record, kReasons> records;
    std::optional<EventReason> holds;  // of those that are not beside the others
  };
  struct Due {
    Duration at;
    std::string uid;
    EventReason reason;
    auto operator<=>(const Due&) const = default;
  };

  static Record& RecordOf(Told& told, EventReason reason);
  void ScheduleOtherWords(const std::string& uid, EventReason reason, Record& record);
  Record* Find(const std::string& uid, EventReason reason);
  void Schedule(const std::string& uid, EventReason reason, Record& record,
                std::optional<Duration> due);
  void Send(Told& told, EventReason reason);
  void TakeAnswer(const std::string& uid, EventReason reason, bool was_new,
                  const Result<ApiAnswer>& answer);
  void Say(const std::string& what);

  ApiClient& client_;
  std::function<Time()> now_;
  std::function<Duration()> since_boot_;
  std::function<void(const std::string&)> say_;
  EventOptions options_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for answers that come too late
  platform::TokenBucket bucket_;
  bool has_token_ = false;  // the next Event's, for which it waits until next_token_
  Duration next_token_{};
  Random random_;
  std::string said_;
  std::unordered_map<std::string, Told> told_;  // by uid
  std::set<Due> due_;
};

/// Of the Event of this object and reason.
std::string EventName(const EventSubject& subject, EventReason reason);

}  // namespace ebb::kubernetes
