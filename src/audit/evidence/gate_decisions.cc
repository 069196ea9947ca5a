#include "audit/evidence/gate_decisions.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "audit/evidence/json_differences.h"
#include "base/text.h"
#include "core/signal/one_value.h"
#include "plan/make_policy.h"
#include "plan/price_blend.h"
#include "runtime/gate_loop.h"

namespace ebb::audit {
namespace {

using Json = nlohmann::json;

// The name of a field that earlier versions called `older`: `older` if the object has it, else
// `key`.
const char* KeyOf(const Json& json, const char* key, const char* older) {
  return json.contains(older) ? older : key;
}

Time TimeIn(const Json& json, const char* key) {
  return Time{Duration{json.at(key).get<std::int64_t>()}};
}

Json OrNull(const std::optional<Intensity>& value) {
  return value ? Json(value->g_per_kwh) : Json(nullptr);
}

// The lines that are valid JSON, with their line numbers.
std::vector<std::pair<std::size_t, Json>> LinesOf(std::string_view text) {
  std::vector<std::pair<std::size_t, Json>> lines;
  std::size_t number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    if (Json json = Json::parse(line, nullptr, false); json.is_object())
      lines.emplace_back(number, std::move(json));
  }
  return lines;
}

// Numbers for the links of a chain of sources, in order of first appearance.
class Links {
 public:
  std::uint8_t Of(const std::string& name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) names_.push_back(name);
    return static_cast<std::uint8_t>(found - names_.begin());
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

std::vector<core::Sample> SamplesFrom(const Json& pieces, Links& links) {
  std::vector<core::Sample> samples;
  for (const Json& piece : pieces) {
    Time begin = TimeIn(piece, "begin_ms");
    const Duration step{piece.at("step_ms").get<std::int64_t>()};
    const auto status = core::SampleStatusFromName(piece.at("status").get<std::string>());
    if (!status) throw std::invalid_argument("unknown status");
    const std::uint8_t link =
        piece.contains("source") ? links.Of(piece.at("source").get<std::string>()) : 0;
    for (const Json& value : piece.at("g_per_kwh")) {
      samples.push_back({{begin, begin + step}, Intensity{value.get<double>()}, *status, link});
      begin += step;
    }
  }
  return samples;
}

core::IntensitySeries SeriesOf(const Links& links, std::vector<core::Sample> samples) {
  core::SignalIdentity identity;
  identity.links = links.names();
  auto series = core::IntensitySeries::Create(std::move(identity), std::move(samples));
  if (!series) throw std::invalid_argument(series.error().Message());
  return *std::move(series);
}

std::optional<plan::PriceGateOptions> PricesFrom(const Json& gate) {
  const auto prices = gate.find("prices");
  if (prices == gate.end() || prices->is_null()) return std::nullopt;
  std::vector<core::PriceSample> samples;
  const auto time = [](const Json& ms) { return Time{Duration{ms.get<std::int64_t>()}}; };
  for (const Json& sample : prices->at("samples"))
    samples.push_back(
        {{time(sample.at(0)), time(sample.at(1))}, sample.at(2).get<double>(), time(sample.at(3))});
  auto series = core::PriceSeries::Create({prices->at("currency").get<std::string>(), ""},
                                          std::move(samples));
  if (!series) throw std::invalid_argument(series.error().Message());
  plan::PriceGateOptions options{std::make_shared<const core::PriceSeries>(*std::move(series)),
                                 prices->at("weight").get<double>(), std::nullopt};
  if (!prices->at("threshold_per_kwh").is_null())
    options.threshold = prices->at("threshold_per_kwh").get<double>();
  return options;
}

// The gate of one attempt, with the values that it knew at its latest decision.
class Gate {
 public:
  explicit Gate(const Json& gate) : version_(gate.at("ebb").get<std::string>()) {
    request_.submitted = TimeIn(gate, "submitted_ms");
    request_.latest_start = TimeIn(gate, KeyOf(gate, "latest_start_ms", "start_by_ms"));
    request_.remaining =
        Duration{gate.at(KeyOf(gate, "remaining_ms", "run_time_ms")).get<std::int64_t>()};
    const auto at_deadline = plan::AtDeadlineFromName(gate.at("at_deadline").get<std::string>());
    if (!at_deadline) throw std::invalid_argument("unknown at_deadline");
    request_.at_deadline = *at_deadline;
    const auto on_outage = core::OnOutageFromName(gate.at("on_outage").get<std::string>());
    if (!on_outage) throw std::invalid_argument("unknown on_outage");
    request_.on_outage = *on_outage;
    plan::PolicyOptions options;
    if (!gate.at("threshold_g_per_kwh").is_null())
      options.threshold.threshold = Intensity{gate.at("threshold_g_per_kwh").get<double>()};
    auto policy = plan::MakeGatePolicy(gate.at("policy").get<std::string>(), options);
    if (!policy) throw std::invalid_argument(policy.error().Message());
    policy_ = *std::move(policy);
    if (const auto prices = PricesFrom(gate))
      policy_ = plan::MakePriceAware(std::move(policy_), *prices);
  }

  core::GateDecision DecideOn(const Json& inputs) {
    const auto first = inputs.at("keep").at(0).get<std::size_t>();
    const auto count = inputs.at("keep").at(1).get<std::size_t>();
    if (first > known_.size() || count > known_.size() - first)
      throw std::invalid_argument("keeps values that were not there");
    const auto begin = known_.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<core::Sample> known(begin, begin + static_cast<std::ptrdiff_t>(count));
    const auto fresh = SamplesFrom(inputs.at("known"), links_);
    known.insert(known.end(), fresh.begin(), fresh.end());
    known_ = known;
    runtime::GateObservation observation;
    observation.view.now = TimeIn(inputs, "at_ms");
    observation.next_change = TimeIn(inputs, "next_change_ms");
    observation.failure = inputs.value("failure", std::string());
    observation.view.known = SeriesOf(links_, std::move(known));
    if (const Json& forecast = inputs.at("forecast"); !forecast.is_null()) {
      observation.view.forecast.series =
          SeriesOf(links_, SamplesFrom(forecast.at("values"), links_));
      if (forecast.value("one_value", false))
        observation.view.forecast.method = core::kOneValueForAllHours;
    }
    return runtime::DecideOn(request_, *policy_, observation);
  }
  const std::string& version() const { return version_; }

 private:
  std::string version_;
  plan::GateRequest request_;
  std::unique_ptr<plan::GatePolicy> policy_;
  std::vector<core::Sample> known_;
  Links links_;
};

Json ToJson(const core::GateDecision& decision) {
  Json json{{"at_ms", Milliseconds(decision.at)},
            {"action", core::Name(decision.action)},
            {"rule", core::Name(decision.reason.rule)},
            {"reason", core::Sentence(decision)},
            {"current_g_per_kwh", OrNull(decision.reason.current)},
            {"current_status", core::Name(decision.current_status)},
            {"threshold_g_per_kwh", OrNull(decision.reason.threshold)},
            {"expected_start_ms", nullptr},
            {"expected_mean_g_per_kwh", OrNull(decision.reason.expected)},
            {"latest_start_ms", Milliseconds(decision.reason.latest.value_or(Time{}))},
            {"wake_at_ms", Milliseconds(decision.wake_at)}};
  if (decision.reason.start) json["expected_start_ms"] = Milliseconds(*decision.reason.start);
  if (!decision.current_source.empty()) json["current_source"] = decision.current_source;
  return json;
}

class Decisions {
 public:
  explicit Decisions(const RunFiles& files) {
    for (auto& [number, line] : LinesOf(files.Text("decisions.jsonl"))) {
      if (line.contains("skipped_wait_ms")) continue;
      // Earlier versions called the field start_by_ms.
      if (const auto older = line.find("start_by_ms"); older != line.end()) {
        line["latest_start_ms"] = *older;
        line.erase("start_by_ms");
      }
      told_.emplace_back(number, std::move(line));
    }
    inputs_ = LinesOf(files.Text("gate_inputs.jsonl"));
  }

  DecisionFindings Check() {
    for (const auto& [number, line] : inputs_) {
      try {
        if (line.contains("gate"))
          Begin(line.at("gate"));
        else
          DecideAgain(line);
      } catch (const std::exception& error) {
        ++next_;
        found_.check.Differ("gate_inputs.jsonl:" + std::to_string(number) +
                            ": cannot be read: " + error.what());
      }
    }
    Tell();
    return std::move(found_);
  }

 private:
  void Begin(const Json& gate) { gate_.emplace(gate); }

  void DecideAgain(const Json& inputs) {
    if (!gate_) throw std::invalid_argument("stands before its gate");
    const core::GateDecision decision = gate_->DecideOn(inputs);
    // Ebb was killed between writing the inputs and writing the decision.
    if (next_ >= told_.size() || told_[next_].second.at("at_ms") != inputs.at("at_ms")) return;
    const auto& [number, told] = told_[next_++];
    std::vector<std::string> more;
    const auto before = found_.check.count;
    Compare(told.dump(), ToJson(decision).dump(), "decisions.jsonl:" + std::to_string(number),
            found_.check, more);
    ++made_;
    if (found_.check.count > before) differing_versions_[gate_->version()] += 1;
  }

  void Tell() {
    found_.check.what = "decisions of the gate made again: " + std::to_string(made_);
    if (next_ < told_.size() && inputs_.empty())
      found_.notes.push_back(std::to_string(told_.size()) +
                             " decisions cannot be made again: what they were made from was not "
                             "kept (an older Ebb, or a merged run)");
    else if (next_ < told_.size())
      found_.check.Differ("decisions.jsonl: " + std::to_string(told_.size() - next_) +
                          " decisions have no inputs");
    for (const auto& [version, count] : differing_versions_)
      found_.notes.push_back("the decisions that differ were made by Ebb " + version);
  }

  std::vector<std::pair<std::size_t, Json>> told_, inputs_;
  std::size_t next_ = 0, made_ = 0;
  std::optional<Gate> gate_;
  std::map<std::string, int> differing_versions_;
  DecisionFindings found_;
};

}  // namespace

DecisionFindings CheckDecisions(const RunFiles& files) { return Decisions(files).Check(); }

}  // namespace ebb::audit
