#include "kubernetes/api/leader_lease.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr int kOk = 200, kCreated = 201, kNotFound = 404, kConflict = 409;
constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/namespaces/";

// Kubernetes' MicroTime.
std::string MicroTimeText(Time time) {
  std::string text = FormatTime(time);
  text.pop_back();  // the Z
  if (text.find('.') == std::string::npos) text += ".000";
  return text + "000Z";
}

}  // namespace

LeaderLease::LeaderLease(ApiClient& client, std::function<Time()> now,
                         std::function<Duration()> since_boot,
                         std::function<void(const std::string&)> say, LeaseOptions options)
    : client_(client),
      now_(std::move(now)),
      since_boot_(std::move(since_boot)),
      say_(std::move(say)),
      options_(std::move(options)) {}

LeaderLease::~LeaderLease() { *alive_ = false; }

std::string LeaderLease::Path() const { return kLeases + options_.name_space + "/leases"; }

bool LeaderLease::holds() const {
  return renewed_at_ && since_boot_() - *renewed_at_ < options_.acts_for;
}

void LeaderLease::Tick() {
  if (!under_way_ && since_boot_() >= due_) Look();
}

std::optional<Duration> LeaderLease::NextDue() const {
  // A request may also end by itself.
  if (under_way_)
    return renewed_at_ ? std::optional(*renewed_at_ + options_.acts_for) : std::nullopt;
  return due_;
}

void LeaderLease::Look() {
  under_way_ = true;
  client_.Get(Path() + "/" + options_.name, [this, alive = alive_](const auto& answer) {
    if (*alive) TakeLease(answer);
  });
}

void LeaderLease::TakeLease(const Result<ApiAnswer>& answer) {
  under_way_ = false;
  due_ = since_boot_() + options_.renews_every;
  if (!answer) return;  // the reflectors report this
  if (answer->status == kNotFound) return Write(false, false);
  const auto lease =
      answer->status == kOk ? ParseJson(answer->body, Path()) : Result<JsonNode>(Fail(Error{}));
  if (!lease) return Say(MessageOf(answer->status, answer->body));
  std::string holder = TextAt(*lease, "/spec/holderIdentity");
  std::string renewed = TextAt(*lease, "/spec/renewTime");
  if (holder != holder_ || renewed != renewed_ || version_.empty()) seen_at_ = since_boot_();
  holder_ = std::move(holder);
  renewed_ = std::move(renewed);
  version_ = TextAt(*lease, "/metadata/resourceVersion");
  transitions_ = NumberAt(*lease, "/spec/leaseTransitions").value_or(0);
  others_hold_for_ = std::chrono::seconds{
      NumberAt(*lease, "/spec/leaseDurationSeconds").value_or(options_.holds_for.count())};
  const bool is_ours = holder_ == options_.identity;
  const bool has_expired = since_boot_() - seen_at_ >= others_hold_for_;
  if (is_ours || holder_.empty() || has_expired) return Write(true, false);
  if (!held_once_) Say("waits: " + holder_ + " is the controller that acts");
}

// If two processes write at once, the server takes one: the version of the other is old by then.
void LeaderLease::Write(bool exists, bool release) {
  const std::string now = MicroTimeText(now_());
  if (holder_ != options_.identity || acquired_.empty()) {
    acquired_ = now;
    transitions_ += exists ? 1 : 0;
  }
  nlohmann::json lease{{"apiVersion", "coordination.k8s.io/v1"},
                       {"kind", "Lease"},
                       {"metadata", {{"name", options_.name}, {"namespace", options_.name_space}}},
                       {"spec",
                        {{"holderIdentity", release ? "" : options_.identity},
                         {"leaseDurationSeconds", release ? 1 : options_.holds_for.count()},
                         {"acquireTime", acquired_},
                         {"renewTime", now},
                         {"leaseTransitions", transitions_}}}};
  if (exists) lease["metadata"]["resourceVersion"] = version_;
  ApiClient::Change change;
  change.method = exists ? "PUT" : "POST";
  change.path = exists ? Path() + "/" + options_.name : Path();
  change.content_type = "application/json";
  change.body = lease.dump();
  change.key = "lease";
  change.once = true;
  under_way_ = !release;
  client_.Make(std::move(change),
               [this, alive = alive_, release, asked = since_boot_()](const auto& answer) {
                 if (*alive && !release) TakeWritten(answer, asked);
               });
}

// The lease counts from the time of the request, because the answer may have been delayed.
void LeaderLease::TakeWritten(const Result<ApiAnswer>& answer, Duration asked_at) {
  under_way_ = false;
  due_ = since_boot_() + options_.renews_every;
  if (!answer) return;
  if (answer->status != kOk && answer->status != kCreated) {
    // Another process was quicker.
    if (answer->status != kConflict) Say(MessageOf(answer->status, answer->body));
    return;
  }
  if (!held_once_) Say("acts: it holds the lease " + options_.name_space + "/" + options_.name);
  holder_ = options_.identity;
  if (const auto lease = ParseJson(answer->body, Path()))
    version_ = TextAt(*lease, "/metadata/resourceVersion");
  renewed_at_ = asked_at;
  held_once_ = true;
}

void LeaderLease::Release() {
  if (!holds()) return;
  renewed_at_.reset();
  Write(true, true);
}

void LeaderLease::Say(const std::string& what) {
  if (std::exchange(said_, what) != what) say_(what);
}

}  // namespace ebb::kubernetes
