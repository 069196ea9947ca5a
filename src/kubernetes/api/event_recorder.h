#pragma once
// Records decisions about an object as Events on it, so that `kubectl describe` answers why it
// waits and until when.
//
// One Event for each object and reason, which is changed: it counts how often it was told and has
// the newest message. Its name follows from the object and the reason, so that another process goes
// on with it. The server forgets an Event an hour after it was last told. A reason that still holds
// is told again only if its text has changed, and not often, so that an unchanged object costs the
// cluster nothing. The current text is in the object's annotations.
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
#include "kubernetes/api/api_client.h"
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
  // Reasons of the policies of namespaces:
  kPoliciesInForce,
  kBadPolicy,
  // Reasons that hold beside any of the others:
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
  /// Rate of all Events together.
  platform::Rate rate{.per_minute = 5 * 60, .burst = 20};
  Duration again_after{std::chrono::minutes{45}};  ///< time before a new text for the same reason
  Duration at_least{std::chrono::seconds{30}};     ///< time between updates of one Event
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

  /// Tells what holds for an object from now on. News are sent soon; a new text for the same reason
  /// after a while. `told_before`: another process has told this text, so it is not news.
  void Tell(const EventSubject& subject, EventReason reason, const std::string& message,
            const std::optional<std::string>& told_before = {});
  /// The reason does not hold any more: it is not told again, nor at all if it has not been told
  /// yet.
  void Rest(const std::string& uid, EventReason reason);
  /// No reason holds any more, except those beside the others.
  void Rest(const std::string& uid);
  /// Call it when the object is gone.
  void Drop(const std::string& uid);

  /// Sends the Events that are due. Call it before each wait.
  void Tick();
  std::optional<Duration> NextDue() const;

 private:
  static constexpr std::size_t kReasons = static_cast<std::size_t>(EventReason::kBadAnnotation) + 1;
  struct Record {
    std::string message, told;
    std::int64_t count = 0;  // how often it was told, as far as is known
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
  bool has_token_ = false;  // for the next Event, otherwise it waits until next_token_
  Duration next_token_{};
  Random random_;
  std::string said_;
  std::unordered_map<std::string, Told> told_;  // by uid
  std::set<Due> due_;
};

/// Name of the Event for this object and reason.
std::string EventName(const EventSubject& subject, EventReason reason);

}  // namespace ebb::kubernetes
