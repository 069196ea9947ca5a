#include "kubernetes/objects/gated_object.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "core/jobs/widths.h"
#include "core/options/field_builders.h"
#include "core/options/job_options.h"
#include "kubernetes/api/json_reading.h"
#include "kubernetes/objects/field_manager.h"
#include "kubernetes/objects/namespace_policy.h"

namespace ebb::kubernetes {
namespace {

using Texts = std::map<std::string, std::string>;

constexpr int kMostDevices = 1 << 20;
constexpr double kMostRuntimeHours = 876'000;  // a century, the limit of ParseDuration
constexpr double kMostWatts = 1e9;             // for all devices of a node
constexpr double kMostPrice = 1e6, kMostEfficiency = 1e6;

// Reads annotations, and collects those that it cannot read.
class AnnotationReader {
 public:
  AnnotationReader(Texts texts, GatedObject& object) : texts_(std::move(texts)), object_(object) {}

  const std::string* Find(std::string_view prefix, std::string_view key) const {
    const auto found = texts_.find(std::string(prefix) + std::string(key));
    return found == texts_.end() ? nullptr : &found->second;
  }
  // Ebb's annotation takes precedence over Compute Gardener's.
  const std::string* Either(std::string_view key, std::string_view theirs,
                            std::string& named) const {
    named = std::string(kPrefix) + std::string(key);
    if (const std::string* own = Find(kPrefix, key)) return own;
    named = std::string(kGardenerPrefix) + std::string(theirs);
    return theirs.empty() ? nullptr : Find(kGardenerPrefix, theirs);
  }
  void Refuse(const std::string& key, const std::string& text, const std::string& wanted) {
    object_.problems.push_back(key + ": " + Quoted(text) + " is not " + wanted);
  }
  std::optional<double> Number(std::string_view key, std::string_view theirs, double least,
                               double most) {
    std::string named;
    const std::string* text = Either(key, theirs, named);
    if (!text) return std::nullopt;
    const auto number = ParseNumber(*text);
    if (number && *number >= least && *number <= most) return number;
    Refuse(named, *text, "a number from " + FormatFixed(least, 0) + " to " + FormatFixed(most, 0));
    return std::nullopt;
  }
  std::optional<Duration> Length(std::string_view key, std::string_view theirs) {
    std::string named;
    const std::string* text = Either(key, theirs, named);
    if (!text) return std::nullopt;
    if (const auto length = ParseDuration(*text)) return *length;
    Refuse(named, *text, "a duration like 90m or 12h");
    return std::nullopt;
  }
  // A duration since the creation, or a time.
  std::optional<Time> Moment(std::string_view key) {
    const std::string* text = Find(kPrefix, key);
    if (!text) return std::nullopt;
    if (const auto length = ParseDuration(*text)) return object_.created + *length;
    if (const auto time = ParseTime(*text)) return *time;
    Refuse(std::string(kPrefix) + std::string(key), *text,
           "a duration from the creation like 12h, or a time like 2026-10-01T09:30Z");
    return std::nullopt;
  }
  bool Is(std::string_view prefix, std::string_view key, std::string_view value) const {
    const std::string* text = Find(prefix, key);
    return text && *text == value;
  }
  // Reads an option's own annotation.
  void ReadOption(const core::JobOption& option, core::Submission& submission) {
    const std::string* text = Find(kPrefix, option.annotation);
    if (!text) return;
    const auto value = core::ParseOption(option.field, *text);
    if (!value) return Refuse(std::string(kPrefix) + option.annotation, *text, value.error().what);
    if (const Status taken = option.set(*value, submission); !taken)
      object_.problems.push_back(std::string(kPrefix) + option.annotation + ": " +
                                 taken.error().Message());
  }
  bool HasTheirs() const {
    const auto found = texts_.lower_bound(std::string(kGardenerPrefix));
    return found != texts_.end() && found->first.starts_with(kGardenerPrefix);
  }

 private:
  Texts texts_;
  GatedObject& object_;
};

// Reads a bool as Go does, on which Compute Gardener's rules are built: any other text is false.
bool IsTrueForTheirs(const std::string& text) {
  return text == "1" || text == "t" || text == "T" || text == "true" || text == "TRUE" ||
         text == "True";
}

void ReadChoice(const AnnotationReader& annotations, GatedObject& object) {
  object.chosen = annotations.Is(kPrefix, "wait", "true") ||
                  (annotations.HasTheirs() && !annotations.Is(kPrefix, "wait", "false"));
  const std::string* enabled = annotations.Find(kGardenerPrefix, "carbon-enabled");
  object.declined = annotations.Is(kPrefix, "wait", "false") ||
                    annotations.Is(kGardenerPrefix, "skip", "true") ||
                    (enabled && !IsTrueForTheirs(*enabled));
}

// Unknown keys with Ebb's prefix are reported, because they were meant for Ebb.
void ReadKeys(const Texts& texts, GatedObject& object) {
  object.mistyped.clear();
  for (const auto& [key, value] : texts)
    if (std::string why = WhyNoAnnotation(key); !why.empty())
      object.mistyped.push_back(std::move(why));
  for (const std::string& key : object.labels)
    if (std::string why = WhyNoLabel(key); !why.empty()) object.mistyped.push_back(std::move(why));
  object.problems.insert(object.problems.end(), object.mistyped.begin(), object.mistyped.end());
}

void ReadTier(AnnotationReader& annotations, const ObjectDefaults& defaults, GatedObject& object) {
  const std::string* name = annotations.Find(kPrefix, "tier");
  if (!name) return;
  const core::Tier* tier = core::FindTier(defaults.tiers, *name);
  if (!tier) {
    annotations.Refuse(std::string(kPrefix) + "tier", *name, "a tier of this controller");
    return;
  }
  object.job.tier = tier->name;
  object.job.threshold = tier->threshold;
  object.job.priority = tier->priority;
  object.job.start_by = object.created + tier->max_delay;
}

void ReadTimes(AnnotationReader& annotations, GatedObject& object) {
  core::Job& job = object.job;
  if (const auto start_by = annotations.Moment("start-by"))
    job.start_by = start_by;
  else if (const auto delay = annotations.Length("", "max-scheduling-delay"))
    job.start_by = object.created + *delay;
  if (const auto finish_by = annotations.Moment("finish-by")) job.finish_by = finish_by;
}

void ReadWidth(const PodRequests& requests, const ObjectDefaults& defaults, GatedObject& object) {
  core::Job& job = object.job;
  ObjectWidth& width = object.width;
  const bool on_gpus = requests.gpus > 0;
  const double wanted = std::ceil(on_gpus ? requests.gpus : requests.cores);
  const std::string why_stays = defaults.why_requests_stay ? defaults.why_requests_stay() : "";
  if (width.by_template) width.why_not = why_stays;
  width.tells_pods = why_stays.empty() || !object.kind || object.kind->kind != "Job";
  SetWidth(static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(kMostDevices))), width);
  job.devices = width.own;
  job.power = on_gpus ? defaults.device_power : defaults.core_power;
}

// Keeps the widths that the object can really have. An object that cannot change keeps its width,
// and says why.
void KeepWidths(const PolicyLimits* limits, GatedObject& object) {
  core::Job& job = object.job;
  const std::string key = std::string(kPrefix) + "speedup";
  object.keeps_width.clear();
  if (job.speedup.empty()) return;
  std::erase_if(job.speedup, [&](const core::WidthSpeed& width) {
    std::string why;
    if (!object.width.CanBe(width.devices) && object.width.why_not.empty())
      why = "its Pods cannot have " + std::to_string(width.devices) + " devices together";
    else if (limits && limits->gpus && object.requests.gpus > 0 && width.devices > *limits->gpus)
      why = "the policy of namespace " + object.name_space + " allows one object " +
            FormatExact(*limits->gpus) + " GPUs";
    if (!why.empty()) object.problems.push_back(key + ": " + why);
    return !why.empty();
  });
  const Status check = core::CheckWidths(job);
  if (!check) object.problems.push_back(key + ": " + check.error().what);
  const bool can_change = object.width.why_not.empty();
  if (check && core::IsElastic(job) && !can_change) {
    object.keeps_width = "it keeps its " + std::to_string(job.devices) +
                         (job.devices == 1 ? " device: " : " devices: ") + object.width.why_not;
    object.problems.push_back(key + ": " + object.keeps_width);
  }
  if (!check || !can_change) job.speedup.clear();
}

// Reads Compute Gardener's annotations where Ebb's own are missing.
void ReadTheirs(AnnotationReader& annotations, GatedObject& object) {
  core::Job& job = object.job;
  if (!annotations.Find(kPrefix, "duration"))
    if (const auto hours = annotations.Number("", "estimated-runtime-hours", 0, kMostRuntimeHours);
        hours && *hours > 0)
      job.duration = DurationFromSeconds(*hours * 3600);
  if (!annotations.Find(kPrefix, "threshold"))
    if (const auto threshold =
            annotations.Number("", "carbon-intensity-threshold", 0, core::kMostIntensity))
      job.threshold = Intensity{*threshold};
}

// Reads the options that need only their own value.
void ReadPlainOptions(AnnotationReader& annotations, GatedObject& object) {
  core::Submission submission;
  submission.job = std::move(object.job);
  for (const core::JobOption& option : core::JobOptions())
    if (option.set && option.StandsIn(core::Place::kAnnotation))
      annotations.ReadOption(option, submission);
  object.job = std::move(submission.job);
  // An object is not given up, because somebody created it on purpose.
  if (object.job.on_outage == core::OnOutage::kStop) {
    annotations.Refuse(std::string(kPrefix) + "on-outage", "stop", "\"wait\" or \"run\"");
    object.job.on_outage = core::OnOutage::kWait;
  }
}

// Tells if the owner is another object that can be held back: that one is held, and this one
// follows it.
bool HasGatedOwner(const JsonNode& json) {
  const JsonNode* owners = json.At("/metadata/ownerReferences");
  return owners && std::ranges::any_of(owners->items, [](const JsonNode& owner) {
           return std::ranges::count(GatedKinds(), owner.TextOf("kind"), [](const GatedKind& kind) {
                    return std::string(kind.kind);
                  }) > 0;
         });
}

// Refuses rules of the reference that holding back alone cannot satisfy.
void RefuseOthers(const AnnotationReader& annotations, GatedObject& object) {
  if (annotations.Find(kGardenerPrefix, "energy-budget-kwh"))
    object.problems.push_back(
        std::string(kGardenerPrefix) +
        "energy-budget-kwh: this controller does not act on it; its namespace "
        "can have a budget");
  // Cores per W and a constant for each GPU, added up.
  if (annotations.Find(kGardenerPrefix, "min-efficiency"))
    object.problems.push_back(std::string(kGardenerPrefix) +
                              "min-efficiency: its unit mixes cores and GPUs; say "
                              "ebb/min-efficiency in TFLOPS per W, which this controller acts on");
}

void ReadPrice(AnnotationReader& annotations, const ObjectDefaults& defaults, GatedObject& object) {
  object.most_price.reset();
  std::string named;
  if (!annotations.Either("price-threshold", "price-threshold", named)) return;
  if (defaults.knows_prices)
    object.most_price =
        annotations.Number("price-threshold", "price-threshold", -kMostPrice, kMostPrice);
  else
    object.problems.push_back(named + ": this controller knows no prices (--prices FILE)");
}

// The filter works by node affinity, which is set while the object is held back.
void ReadFilter(AnnotationReader& annotations, GatedObject& object) {
  HardwareFilter& filter = object.requests.filter;
  filter = {};
  if (const auto watts = annotations.Number("max-power", "max-power-watts", 0, kMostWatts))
    filter.max_power = Power{*watts};
  filter.min_tflops_per_w = annotations.Number("min-efficiency", "", 0, kMostEfficiency);
  if (filter.empty()) return;
  const bool is_workload = object.kind && object.kind->group == "kueue.x-k8s.io";
  const bool by_claims = object.requests.claimed > 0;
  if (object.requests.gpus > 0 && !object.is_gang() && !is_workload && !by_claims) return;
  if (object.requests.gpus > 0)
    object.problems.push_back(std::string("ebb/max-power, ebb/min-efficiency: not acted on: ") +
                              (is_workload ? "Kueue places it"
                               : by_claims ? "its claims choose their devices"
                                           : "set the node affinity of pods with a gate yourself"));
  filter = {};
}

// Kueue counts claims in its own quotas.
void ReadClaims(const ObjectDefaults& defaults, GatedObject& object) {
  const bool is_workload = object.kind && object.kind->group == "kueue.x-k8s.io";
  if (!defaults.needs_of || is_workload) return;
  ClaimNeeds claims;
  CountClaims([&](const PodClaim& claim) { return defaults.needs_of(object.name_space, claim); },
              object.requests, claims);
  object.problems.insert(object.problems.end(), claims.problems.begin(), claims.problems.end());
  if (object.lacks.empty() && !claims.lacks.empty()) object.lacks = "waiting: " + claims.lacks;
}

void DeclineIfNotSuspendable(GatedObject& object) {
  if (object.why_not_suspendable.empty()) return;
  object.declined = true;
  object.problems.push_back(object.why_not_suspendable);
}

}  // namespace

Texts OursOf(const Texts& annotations) {
  Texts ours;
  for (const auto& [key, value] : annotations)
    if (key.starts_with(kPrefix)) ours[key] = value;
  return ours;
}

std::optional<GatedObject> ReadObject(const GatedKind& kind, const JsonNode& json,
                                      const ObjectDefaults& defaults,
                                      const Texts& annotations_of_owner) {
  GatedObject object;
  object.kind = &kind;
  object.name = TextAt(json, "/metadata/name");
  object.name_space = TextAt(json, "/metadata/namespace");
  object.uid = TextAt(json, "/metadata/uid");
  const auto created = ParseTime(TextAt(json, "/metadata/creationTimestamp"));
  if (object.name.empty() || object.uid.empty() || !created) return std::nullopt;
  object.created = *created;
  object.version = TextAt(json, "/metadata/resourceVersion");
  object.phase = PhaseOf(kind, json);
  if (const std::string value = TextAt(json, kind.pod_value); !value.empty())
    object.pods = std::string(kind.pod_label) + "=" + value;
  if (const auto started = ParseTime(TextAt(json, kind.started))) object.started = *started;

  object.requests = RequestsOf(json);
  const PodRequests& requests = object.requests;
  object.width = WidthOf(kind, json, requests);
  Texts texts = TextsAt(json, "/metadata/annotations");
  object.parts = {{object.name, object.uid, OursOf(texts)}};
  if (const std::string label = TextAt(json, "/metadata/labels/ebb~1wait"); !label.empty())
    texts.emplace(kWaitKey, label);
  for (const auto& [key, value] : TextsAt(json, "/metadata/labels"))
    if (key.starts_with(kPrefix)) object.labels.push_back(key);
  texts.insert(annotations_of_owner.begin(), annotations_of_owner.end());
  texts.insert(requests.annotations.begin(), requests.annotations.end());
  for (const auto& [key, value] : texts)
    if (key.starts_with(kPrefix) || key.starts_with(kGardenerPrefix) || key == kAdmissionGatesKey)
      object.annotations.emplace(key, value);
  if (const auto found = texts.find(std::string(kAttemptKey)); found != texts.end())
    object.attempt = static_cast<int>(
        std::clamp<long long>(ParseInteger(found->second).value_or(0), 0, 1'000'000));
  if (object.attempt > 0 && object.phase != ObjectPhase::kReleased)
    object.suspended_by = ManagerOfField(json, kind.suspend);
  ReadAnnotations(std::move(texts), defaults, object);
  object.follows =
      HasGatedOwner(json) || json.At("/metadata/labels/kueue.x-k8s.io~1queue-name") != nullptr;
  if (object.requests.gpus > 0) object.templates = TemplatesWithGpus(json);
  if (!object.follows) object.why_not_suspendable = WhyNotSuspendable(kind, json);
  DeclineIfNotSuspendable(object);
  return object;
}

void ReadAgain(const ObjectDefaults& defaults, GatedObject& object) {
  const core::Job before = std::exchange(object.job, {});
  object.problems.clear();
  object.lacks.clear();
  ReadAnnotations(object.annotations, defaults, object);
  DeclineIfNotSuspendable(object);
  if (!object.by_kueue) return;
  // Kueue selects the workload, without an annotation on it.
  object.chosen = true;
  object.job.name = before.name;
  if (!object.annotations.contains("ebb/priority") && object.job.tier.empty())
    object.job.priority = before.priority;
}

void ReadAnnotations(Texts texts, const ObjectDefaults& defaults, GatedObject& object) {
  const NamespacePolicy* policy =
      defaults.policy_of ? defaults.policy_of(object.name_space) : nullptr;
  // Only the object decides if it waits: Compute Gardener's annotations do so, defaults do not.
  ReadChoice(AnnotationReader(texts, object), object);
  ReadKeys(texts, object);
  if (policy) AddDefaults(*policy, texts);
  ReadClaims(defaults, object);
  AnnotationReader annotations(std::move(texts), object);
  object.job.name = object.name_space + "/" + object.name;
  object.job.submitted = object.created;
  ReadTier(annotations, defaults, object);
  ReadTimes(annotations, object);
  ReadWidth(object.requests, defaults, object);
  object.job.duration = defaults.duration;
  ReadTheirs(annotations, object);
  ReadPlainOptions(annotations, object);
  if (!object.job.threshold) object.job.threshold = defaults.threshold;
  ReadPrice(annotations, defaults, object);
  RefuseOthers(annotations, object);
  ReadFilter(annotations, object);
  if (policy) KeepWithin(policy->limits, object);
  KeepWidths(policy ? &policy->limits : nullptr, object);
}

}  // namespace ebb::kubernetes
