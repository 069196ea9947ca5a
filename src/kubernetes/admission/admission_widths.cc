// The part of the AdmissionCheckController that changes the number of Pods of Jobs in queues.
//
// A Job that waits is changed while its Workload is inactive and holds no quota: Kueue then changes
// the Workload. One that runs is changed only if Kueue makes slices of it. To make it narrower,
// Kueue changes the Workload at once. To make it wider, Kueue adds a slice that has to find quota.
// If it does not find any, the Job gets its number of Pods back: otherwise its new Pods would start
// at some later time, which nobody has planned.

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/jobs/widths.h"
#include "kubernetes/admission/admission_check_controller.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr int kOk = 200, kNotFound = 404, kConflict = 409, kTooMany = 429, kServerError = 500;
constexpr const char* kJsonPatch = "application/json-patch+json";
constexpr std::chrono::seconds kTryAgainAfter{5};

int DevicesOf(const Workload& workload) {
  const PodRequests& requests = workload.requests;
  return static_cast<int>(std::ceil(requests.gpus > 0 ? requests.gpus : requests.cores));
}

}  // namespace

OwnerWidth AdmissionCheckController::WidthKnown(const Known& known) const {
  const int has = DevicesOf(known.workload);
  const auto [given, before] = known.given;
  OwnerWidth width{has == before ? before : given, known.own, ""};
  if (IsSent(known)) width.why_not = "it runs in a worker cluster";
  return width;
}

// An object that Ebb cannot have evicted keeps its width, too.
void AdmissionCheckController::SetCheckpointable(const Known& known, GatedObject& object) const {
  core::Job& job = object.job;
  job.checkpointable = known.checkpointable && CanBeEvicted(known);
  if (job.checkpointable || job.speedup.empty()) return;
  job.speedup.clear();
  object.keeps_width = "it keeps its " + core::DevicesText(job.devices) +
                       ": its queue has no check of Ebb, so Ebb cannot pause it";
  object.problems.push_back("ebb/speedup: " + object.keeps_width);
}

void AdmissionCheckController::WishFor(Known& known, const ReleaseOrder& order) {
  if (order.devices > 0) known.wish = WidthWish{order.devices, order.attempt, ports_.since_boot()};
}

// True of a released Workload that has to wait for another number of Pods before it may start.
bool AdmissionCheckController::AwaitsWidth(const Known& known) const {
  const Workload& workload = known.workload;
  return known.open && known.wish && !known.wish->gives_back && !workload.admitted &&
         !workload.finished && known.wish->devices != DevicesOf(workload);
}

void AdmissionCheckController::FollowWish(Known& known) {
  const Workload& workload = known.workload;
  const GatedObject* owner = nullptr;
  if (!FindsOwner(known, owner) || !owner) return;
  const WidthWish& wish = *known.wish;
  const int has = DevicesOf(workload);
  const bool is_asked = owner->width.now == wish.devices && owner->attempt >= wish.attempt;
  if (is_asked && (has == wish.devices || wish.gives_back)) return known.wish.reset();
  const bool is_wider = workload.admitted && wish.devices > has;
  const Duration within = is_wider ? options_.admits_within : options_.follows_within;
  if (!wish.gives_back && ports_.since_boot() - wish.since >= within) {
    const Known* next = ReplacementOf(known);
    std::string why = "Kueue has not followed within " + FormatDuration(within);
    if (next && !next->workload.why_no_quota.empty()) why += ": " + next->workload.why_no_quota;
    return RefuseWidth(known, why);
  }
  const bool can_run_on = workload.elastic && !workload.evicted;
  const bool can_change =
      workload.admitted ? can_run_on : !workload.active && workload.cluster_queue.empty();
  if (!is_asked && (can_change || has == wish.devices)) AskForWidth(known, *owner);
}

void AdmissionCheckController::AskForWidth(Known& known, const GatedObject& owner) {
  WidthWish& wish = *known.wish;
  if (wish.asked == owner.version || ports_.since_boot() < known.again_at || !ports_.may_act())
    return;
  ObjectWidth width = owner.width;
  width.tells_pods = false;  // Kueue and the API server keep the template as it is
  if (!width.CanBe(wish.devices))
    return RefuseWidth(known, "its Job cannot have " + core::DevicesText(wish.devices));
  wish.asked = owner.version;
  known.given = {wish.devices, DevicesOf(known.workload)};
  known.own = width.own;
  const std::map<std::string, std::string> notes{
      {std::string(kAttemptKey), std::to_string(std::max(wish.attempt, owner.attempt))}};
  ports_.client.Make({.path = owner.Path(),
                      .content_type = kJsonPatch,
                      .body = WidthPatch(width, wish.devices, notes, owner.version),
                      .key = known.job + "/width",
                      .patience = Duration::zero()},
                     [this, alive = alive_, job = known.job](const Result<ApiAnswer>& answer) {
                       Known* still = *alive ? FindJob(job) : nullptr;
                       if (still && still->wish) WidthAnswered(*still, answer);
                     });
}

// After a conflict the Job is looked at again once its newer version is reported.
void AdmissionCheckController::WidthAnswered(Known& known, const Result<ApiAnswer>& answer) {
  const int status = answer ? answer->status : kServerError;
  if (status == kOk || status == kNotFound || status == kConflict) return;
  if (status == kTooMany || status >= kServerError) {
    known.wish->asked.clear();
    known.again_at = ports_.since_boot() + kTryAgainAfter;
    return;
  }
  RefuseWidth(known, "the API server refuses it: " + MessageOf(status, answer->body));
}

// Drops the wish. A Job that was made wider in vain gets its Pods back.
void AdmissionCheckController::GiveBack(Known& known) {
  const bool was_back = known.wish && known.wish->gives_back;
  known.wish.reset();
  const GatedObject* owner = nullptr;
  if (was_back || !FindsOwner(known, owner) || !owner) return;
  const int has = DevicesOf(known.workload);
  if (known.workload.elastic && known.workload.admitted && owner->width.now != has)
    known.wish = WidthWish{has, 0, ports_.since_boot(), true};
}

void AdmissionCheckController::RefuseWidth(Known& known, const std::string& why) {
  const bool is_news = !known.wish->gives_back && known.wish->devices != DevicesOf(known.workload);
  GiveBack(known);
  if (is_news) ports_.objects.WidthRefused(known.job, DevicesOf(known.workload), why);
}

// A Workload that Kueue does not admit with more devices than its own is released with its own.
bool AdmissionCheckController::StartsAtItsOwnWidth(Known& known) {
  const GatedObject* object = ports_.objects.FindObject(known.job);
  const int own = object ? object->width.own : 0;
  if (own == 0 || own >= DevicesOf(known.workload) || !object->width.CanBe(own)) return false;
  std::string why = "Kueue has not admitted it within " + FormatDuration(options_.admits_within);
  if (!known.workload.why_no_quota.empty()) why += ": " + known.workload.why_no_quota;
  known.wish = WidthWish{own, 0, ports_.since_boot()};
  known.opened_at = ports_.since_boot();
  ports_.objects.WidthRefused(known.job, own, why);
  return true;
}

}  // namespace ebb::kubernetes
