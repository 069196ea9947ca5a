// Compute Gardener's decision about one pod, modelled from its source, beside Ebb's for the object
// with the same annotations: 500 drawn cases. Where both differ, the rule that differs is named
// here, and in docs/kubernetes.md.

#include <gtest/gtest.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "engine/engine_for_test.h"
#include "kubernetes/objects/gated_object.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
using std::chrono::hours;
using std::chrono::milliseconds;

constexpr double kGlobalThreshold = 150;  // the reference's, without its chart
constexpr hours kGlobalDelay{24};         // both
const Time kNow = *ParseTime("2026-05-01T12:00:00Z");

struct Case {
  std::map<std::string, std::string> annotations;  // without the prefix
  Duration age{};
  std::optional<double> intensity;  // nothing: it cannot be had
};

// Rules of the reference that Ebb applies differently.
struct Rules {
  bool starts_in_outage = true;     // intensity error: the pod is scheduled
  bool takes_any_threshold = true;  // negative ones, inf, nan
  bool takes_negative_delay = true;
  bool refuses_plain_delay = true;  // "90" and "2d" are not durations of Go
};
constexpr Rules kReference{};
constexpr Rules kEbb{false, false, false, false};

// strconv.ParseBool.
std::optional<bool> GoBool(const std::string& text) {
  for (const char* yes : {"1", "t", "T", "true", "TRUE", "True"})
    if (text == yes) return true;
  for (const char* no : {"0", "f", "F", "false", "FALSE", "False"})
    if (text == no) return false;
  return std::nullopt;
}

// strconv.ParseFloat of what is drawn here.
std::optional<double> GoFloat(const std::string& text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool is_number = !text.empty() && std::isspace(text.front()) == 0 && *end == '\0';
  return is_number ? std::optional(value) : std::nullopt;
}

// time.ParseDuration: a sign, then numbers with units, of which there is no day; in milliseconds.
std::optional<double> GoDuration(std::string text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.erase(0, 1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  double sum = 0;
  while (!text.empty()) {
    std::size_t digits = text.find_first_not_of("0123456789.");
    if (digits == 0 || digits == std::string::npos) return std::nullopt;
    const double number = std::stod(text.substr(0, digits));
    text.erase(0, digits);
    const std::string unit = text.substr(0, text.find_first_of("0123456789."));
    text.erase(0, unit.size());
    const std::map<std::string, double> units{{"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}};
    if (!units.contains(unit)) return std::nullopt;
    sum += number * units.at(unit);
  }
  return is_negative ? -sum : sum;
}

std::optional<std::string> At(const Case& drawn, const std::string& key) {
  const auto found = drawn.annotations.find(key);
  return found == drawn.annotations.end() ? std::nullopt : std::optional(found->second);
}

double DelayOf(const Case& drawn, const Rules& rules) {
  const double global = static_cast<double>(milliseconds{kGlobalDelay}.count());
  const auto text = At(drawn, "max-scheduling-delay");
  if (!text) return global;
  if (!rules.refuses_plain_delay) {
    if (*text == "90") return 90e3;
    if (*text == "2d") return 48 * 3.6e6;
  }
  const auto delay = GoDuration(*text);
  if (!delay || (*delay < 0 && !rules.takes_negative_delay)) return global;
  return *delay;
}

double ThresholdOf(const Case& drawn, const Rules& rules) {
  const auto text = At(drawn, "carbon-intensity-threshold");
  const auto threshold = text ? GoFloat(*text) : std::nullopt;
  if (!threshold) return kGlobalThreshold;
  const bool is_odd = !std::isfinite(*threshold) || *threshold < 0;
  return is_odd && !rules.takes_any_threshold ? kGlobalThreshold : *threshold;
}

// PreFilter, in its order; prices are off, and the budget of a namespace does nothing there.
bool Releases(const Case& drawn, const Rules& rules) {
  if (static_cast<double>(drawn.age.count()) > DelayOf(drawn, rules)) return true;
  if (At(drawn, "skip") == "true") return true;
  if (const auto enabled = At(drawn, "carbon-enabled");
      enabled && !GoBool(*enabled).value_or(false))
    return true;
  if (!drawn.intensity) return rules.starts_in_outage;
  return !(*drawn.intensity > ThresholdOf(drawn, rules));
}

class Draw {
 private:
  template <typename List>
  auto Of(const List& list) {
    return list[random_.Below(list.size())];
  }

 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  Case Next() {
    Case drawn;
    Annotate(
        drawn, "carbon-intensity-threshold", 0.7,
        {"100", "150", "200", "212.5", "1e2", "0", "+175", "low", "", "-5", "inf", "nan", " 90"});
    Annotate(drawn, "max-scheduling-delay", 0.6,
             {"12h", "1h30m", "0", "0s", "36h", "1.5h", "250ms", "30m", "soon", "", "h", "-1h",
              "2d", "90", "12 h"});
    Annotate(drawn, "skip", 0.15, {"true", "True", "1", "false", "yes", ""});
    Annotate(drawn, "carbon-enabled", 0.25,
             {"true", "false", "1", "0", "T", "F", "TRUE", "yes", "no", "", "tRuE"});
    Annotate(drawn, "estimated-runtime-hours", 0.2, {"2", "0.5", "long"});
    Annotate(drawn, "price-threshold", 0.1, {"0.3", "cheap"});
    constexpr std::array<int, 8> kMinutes{0, 1, 29, 89, 100, 13 * 60, 25 * 60, 49 * 60};
    drawn.age = std::chrono::minutes{Of(kMinutes)} +
                milliseconds{1 + static_cast<int>(random_.Below(50'000))};
    constexpr std::array<double, 8> kIntensities{0, 90, 100, 149.9, 150, 200, 212.5, 480};
    if (random_.Below(10) > 0) drawn.intensity = Of(kIntensities);
    return drawn;
  }

 private:
  void Annotate(Case& drawn, const std::string& key, double share, std::vector<std::string> texts) {
    if (random_.Uniform() < share) drawn.annotations[key] = Of(texts);
  }
  Random random_;
};

std::string Text(const Case& drawn) {
  std::string text = "age " + FormatDuration(drawn.age) + ", intensity " +
                     (drawn.intensity ? std::to_string(*drawn.intensity) : "unknown");
  for (const auto& [key, value] : drawn.annotations) text += ", " + key + " \"" + value + "\"";
  return text;
}

GatedObject ObjectOf(const Case& drawn) {
  Json annotations = Json::object();
  for (const auto& [key, value] : drawn.annotations)
    annotations[std::string(kGardenerPrefix) + key] = value;
  const Json object{{"metadata",
                     {{"name", "a"},
                      {"namespace", "n"},
                      {"uid", "u"},
                      {"creationTimestamp", FormatTime(kNow - drawn.age)},
                      // The reference is chosen by the pod's scheduler.
                      {"labels", {{"ebb/wait", "true"}}}}},
                    {"spec",
                     {{"suspend", true},
                      {"template",
                       {{"metadata", {{"annotations", annotations}}},
                        {"spec", {{"containers", Json::array({{{"name", "main"}}})}}}}}}}};
  ObjectDefaults defaults;
  defaults.threshold = Intensity{kGlobalThreshold};
  for (const GatedKind& kind : GatedKinds())
    if (std::string_view(kind.kind) == "Job")
      return *ReadObject(kind, *ParseJson(object.dump(), "test"), defaults);
  std::abort();
}

// ebb controller --policy threshold --threshold 150, with a free device.
bool EbbReleases(const Case& drawn) {
  const GatedObject object = ObjectOf(drawn);
  if (!object.chosen || object.declined) return true;
  engine::Options options;
  options.admission = engine::Admission::kTakeAll;
  engine::Engine engine(options, *plan::MakePolicy("threshold", {}));
  EXPECT_TRUE(engine.Apply({kNow, engine::ClusterChanged{testing::ClusterOf(4)}}));
  if (drawn.intensity) {
    core::SignalView view;
    view.now = kNow;
    view.known = *core::IntensitySeries::Create(
        {"TEST", core::SignalKind::kAverage, core::Boundary::kLifecycle, "test"},
        {{{kNow, kNow + hours{1}}, {*drawn.intensity}, core::SampleStatus::kMeasured}});
    EXPECT_TRUE(engine.Apply({kNow, engine::SignalObserved{0, view, kNow + hours{1}}}));
  } else {
    EXPECT_TRUE(engine.Apply({kNow, engine::SignalLost{0, "no answer", kNow + hours{1}}}));
  }
  core::Job job = object.job;
  job.id = 1;
  EXPECT_TRUE(engine.Apply({kNow, engine::JobSubmitted{job}}));
  return !engine.Decide(kNow).commands.empty();
}

TEST(GardenerDecisions, AreEbbsButForTheRulesThatAreNamed) {
  Draw draw(20260501);
  std::map<std::string, int> differ;
  int released = 0;
  for (int i = 0; i < 500; ++i) {
    const Case drawn = draw.Next();
    const bool reference = Releases(drawn, kReference), ebb = EbbReleases(drawn);
    released += ebb;
    EXPECT_EQ(ebb, Releases(drawn, kEbb)) << Text(drawn);
    if (ebb == reference) continue;
    for (const auto& [name, rule] :
         std::map<std::string, bool Rules::*>{{"outage", &Rules::starts_in_outage},
                                              {"threshold", &Rules::takes_any_threshold},
                                              {"negative delay", &Rules::takes_negative_delay},
                                              {"delay", &Rules::refuses_plain_delay}}) {
      Rules without = kReference;
      without.*rule = false;
      differ[name] += Releases(drawn, without) != reference;
    }
  }
  EXPECT_GT(released, 100);
  EXPECT_LT(released, 400);
  EXPECT_EQ(differ.size(), 4u);
  for (const auto& [name, times] : differ) EXPECT_GT(times, 0) << name;
}

// If the intensity is unknown, Ebb follows an annotation of the object instead of the reference's
// rule.
TEST(GardenerDecisions, AnObjectCanAskToRunInAnOutage) {
  const auto read = [](const char* text) {
    const Json object{{"metadata",
                       {{"name", "a"},
                        {"uid", "u"},
                        {"creationTimestamp", FormatTime(kNow)},
                        {"annotations", {{"ebb/on-outage", text}}}}}};
    return *ReadObject(GatedKinds().front(), *ParseJson(object.dump(), "test"), {});
  };
  EXPECT_EQ(read("run").job.on_outage, core::OnOutage::kRun);
  EXPECT_TRUE(read("run").problems.empty());
  EXPECT_EQ(read("stop").job.on_outage, core::OnOutage::kWait) << "nothing is given up";
  EXPECT_EQ(read("stop").problems.size(), 1u);
}

}  // namespace
}  // namespace ebb::kubernetes
