#include "plan/make_policy.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/text.h"
#include "plan/gated.h"
#include "plan/planner/carbon_scaler.h"

namespace ebb::plan {
namespace {

using GateMaker = std::unique_ptr<GatePolicy> (*)(const PolicyOptions&);

// How `ebb run` has a policy.
struct InRuns {
  GatePolicyKind kind;
  std::string_view stored_name;
  std::string_view help;
  bool needs_forecast = false;
};

struct PolicyRow {
  std::string_view name;
  GateMaker make_gate = nullptr;  // nullptr: it plans the whole queue
  bool heeds_threshold = false;   // uses a job's own threshold
  bool heeds_priority = false;
  bool reads_all_known = false;
  std::optional<InRuns> in_runs = std::nullopt;
};

constexpr std::array<PolicyRow, 10> kPolicies{
    {{.name = "run-now",
      .make_gate = [](const PolicyOptions&) { return MakeRunNow(); },
      .in_runs = InRuns{GatePolicyKind::kNow, "now", "at once"}},
     {.name = "edf", .make_gate = [](const PolicyOptions&) { return MakeEarliestDeadlineFirst(); }},
     {.name = "threshold",
      .make_gate = [](const PolicyOptions& o) { return MakeThreshold(o.threshold); },
      .heeds_threshold = true,
      .in_runs = InRuns{GatePolicyKind::kThreshold, "threshold", "start at or below --threshold"}},
     {.name = "tiers",
      .make_gate = [](const PolicyOptions& o) { return MakeTiers(o.tiers); },
      .heeds_threshold = true,
      .heeds_priority = true},
     {.name = "lowest-window",
      .make_gate = [](const PolicyOptions& o) { return MakeLowestWindow(o.lowest_window); },
      .in_runs = InRuns{.kind = GatePolicyKind::kWindow,
                        .stored_name = "window",
                        .help = "start where the mean over the run time is lowest",
                        .needs_forecast = true}},
     {.name = "lowest-slots",
      .make_gate = [](const PolicyOptions& o) { return MakeLowestSlots(o.lowest_slots); }},
     {.name = "carbon-time",
      .make_gate = [](const PolicyOptions&) { return MakeCarbonTime(); },
      .in_runs = InRuns{.kind = GatePolicyKind::kCarbonTime,
                        .stored_name = "carbon-time",
                        .help = "where the saving per hour of delay is highest",
                        .needs_forecast = true}},
     // The bounds of dtpr are those of all known values.
     {.name = "dtpr",
      .make_gate = [](const PolicyOptions& o) { return MakeDtpr(o.dtpr); },
      .reads_all_known = true,
      .in_runs = InRuns{GatePolicyKind::kDtpr, "dtpr", "a threshold from past values alone"}},
     {.name = "carbon-scaler"},
     {.name = "planner", .heeds_threshold = true, .heeds_priority = true}}};

template <typename Property>
std::vector<std::string> NamesWith(Property property) {
  std::vector<std::string> names;
  for (const PolicyRow& policy : kPolicies)
    if (property(policy)) names.emplace_back(policy.name);
  return names;
}

// nullptr if no policy has this name or short name.
const PolicyRow* Find(std::string_view given) {
  const auto* const row = std::ranges::find(kPolicies, PolicyNameOf(given), &PolicyRow::name);
  return row == kPolicies.end() ? nullptr : row;
}

const InRuns& RowOf(GatePolicyKind kind) {
  const auto* const row = std::ranges::find_if(kPolicies, [&](const PolicyRow& policy) {
    return policy.in_runs && policy.in_runs->kind == kind;
  });
  EBB_CHECK(row != kPolicies.end());
  return *row->in_runs;
}

tl::unexpected<Error> Unknown(std::string_view name, std::span<const std::string> names) {
  return Fail({ExitCode::kUsage,
               "there is no policy \"" + std::string(name) + "\"" + SuggestionText(name, names), "",
               "choose one of " + Join(names, ", ")});
}

}  // namespace

std::span<const std::string> PolicyNames() {
  static const auto names = NamesWith([](const PolicyRow&) { return true; });
  return names;
}

std::span<const std::string> PoliciesByThreshold() {
  static const auto names = NamesWith([](const PolicyRow& row) { return row.heeds_threshold; });
  return names;
}

std::span<const std::string> PoliciesByPriority() {
  static const auto names = NamesWith([](const PolicyRow& row) { return row.heeds_priority; });
  return names;
}

std::string_view PolicyNameOf(std::string_view given) {
  for (const PolicyRow& row : kPolicies)
    if (row.in_runs && given == row.in_runs->stored_name) return row.name;
  return given;
}

bool ReadsAllKnown(std::string_view policy) {
  const PolicyRow* const row = Find(policy);
  return row && row->reads_all_known;
}

std::vector<std::string> GatePolicyKindNames() {
  return NamesWith([](const PolicyRow& row) { return row.in_runs.has_value(); });
}

std::optional<GatePolicyKind> GatePolicyKindFromName(std::string_view name) {
  const PolicyRow* const row = Find(name);
  if (!row || !row->in_runs) return std::nullopt;
  return row->in_runs->kind;
}

std::string_view Name(GatePolicyKind kind) { return RowOf(kind).stored_name; }
std::string_view HelpOf(GatePolicyKind kind) { return RowOf(kind).help; }
bool NeedsForecast(GatePolicyKind kind) { return RowOf(kind).needs_forecast; }

Result<std::unique_ptr<GatePolicy>> MakeGatePolicy(std::string_view name,
                                                   const PolicyOptions& options) {
  const PolicyRow* const row = Find(name);
  if (row && row->make_gate) return row->make_gate(options);
  return Unknown(name, NamesWith([](const PolicyRow& gate) { return gate.make_gate != nullptr; }));
}

Result<std::unique_ptr<Policy>> MakePolicy(std::string_view name, const PolicyOptions& options) {
  if (name == "planner") return MakePlanner(options.planner);
  if (name == "carbon-scaler") return MakeCarbonScaler(options.planner.horizon);
  auto gate = MakeGatePolicy(name, options);
  if (!gate) return Unknown(name, PolicyNames());
  GatedOptions gated{std::string(PolicyNameOf(name)), options.default_max_delay};
  if (gated.name == "run-now") gated.devices = options.run_now_devices;
  return MakeGated(*std::move(gate), gated);
}

}  // namespace ebb::plan
