#include "report/run/gate_inputs.h"

#include <algorithm>

#include "core/signal/one_value.h"
#include "plan/make_policy.h"
#include "platform/file.h"
#include "report/json_parts.h"
#include "report/run/run_directory.h"

namespace ebb::report {
namespace {

using Samples = std::vector<core::Sample>;

Json PricesJson(const plan::PriceGateOptions& options) {
  Json samples = Json::array();
  for (const core::PriceSample& sample : options.prices->samples())
    samples.push_back({Milliseconds(sample.interval.begin), Milliseconds(sample.interval.end),
                       sample.per_kwh, Milliseconds(sample.known_from)});
  return {{"currency", options.prices->identity().currency},
          {"weight", options.weight},
          {"threshold_per_kwh", Maybe(options.threshold)},
          {"samples", std::move(samples)}};
}

Json SetupJson(const GateSetup& setup) {
  const plan::GateRequest& request = setup.request;
  Json gate{{"attempt", setup.attempt},
            {"ebb", EBB_VERSION},
            {"policy", setup.policy},
            {"threshold_g_per_kwh", Maybe(setup.threshold)},
            {"submitted_ms", Milliseconds(request.submitted)},
            {"latest_start_ms", Milliseconds(request.latest_start)},
            {"remaining_ms", request.remaining.count()},
            {"at_deadline", plan::Name(request.at_deadline)},
            {"on_outage", core::Name(request.on_outage)}};
  if (setup.prices) gate["prices"] = PricesJson(*setup.prices);
  return gate;
}

bool GoesOn(const core::Sample& before, const core::Sample& sample) {
  return before.interval.end == sample.interval.begin && before.status == sample.status &&
         before.link == sample.link && before.interval.length() == sample.interval.length();
}

// Equal steps in a row become one piece.
Json PiecesJson(const core::SignalIdentity& identity, const Samples& samples) {
  Json pieces = Json::array();
  const core::Sample* before = nullptr;
  for (const core::Sample& sample : samples) {
    if (!before || !GoesOn(*before, sample)) {
      pieces.push_back({{"begin_ms", Milliseconds(sample.interval.begin)},
                        {"step_ms", sample.interval.length().count()},
                        {"status", core::Name(sample.status)}});
      if (const auto link = core::LinkOf(identity, sample); !link.empty())
        pieces.back()["source"] = link;
      pieces.back()["g_per_kwh"] = Json::array();
    }
    pieces.back()["g_per_kwh"].push_back(sample.intensity.g_per_kwh);
    before = &sample;
  }
  return pieces;
}

// The number of values at the beginning of `now` that are in `before` as well; `first` receives the
// index in `before` at which they begin.
std::size_t Kept(const Samples& before, const Samples& now, std::size_t& first) {
  if (now.empty()) return 0;
  const auto begin = std::find(before.begin(), before.end(), now.front());
  const auto differ = std::mismatch(begin, before.end(), now.begin(), now.end());
  first = static_cast<std::size_t>(begin - before.begin());
  return static_cast<std::size_t>(differ.second - now.begin());
}

}  // namespace

Result<GateInputsFile> GateInputsFile::Begin(const std::filesystem::path& directory,
                                             const GateSetup& setup) {
  EBB_ASSIGN_OR_RETURN(const std::string digest, RunDigest(directory));
  EBB_ASSIGN_OR_RETURN(auto lines, ChainedLines::Open(directory / kGateInputsFile, digest));
  EBB_RETURN_IF_ERROR(lines.Append(
      Json{{"gate", SetupJson(setup)}}.dump(-1, ' ', false, Json::error_handler_t::replace)));
  return GateInputsFile(std::move(lines),
                        plan::ReadsAllKnown(setup.policy) ? Time::min() : setup.request.submitted);
}

Status GateInputsFile::Append(const core::SignalView& view, Time next_change,
                              const std::string& failure) {
  Samples known = view.known.samples();
  const Time from = std::min(read_from_, view.now);
  std::erase_if(known, [&](const core::Sample& sample) { return sample.interval.end <= from; });
  std::size_t first = 0;
  const std::size_t kept = Kept(before_, known, first);
  const auto begin = known.begin() + static_cast<std::ptrdiff_t>(kept);
  Json json{{"at_ms", Milliseconds(view.now)}, {"next_change_ms", Milliseconds(next_change)}};
  if (!failure.empty()) json["failure"] = failure;
  json["keep"] = {first, kept};
  json["known"] = PiecesJson(view.known.identity(), {begin, known.end()});
  json["forecast"] = nullptr;
  if (!view.forecast.series.empty())
    json["forecast"] = {
        {"issued_ms", Milliseconds(view.forecast.issued)},
        {"method", view.forecast.method},
        {"values", PiecesJson(view.forecast.series.identity(), view.forecast.series.samples())}};
  // Earlier versions decided as if all hours were alike.
  if (!view.forecast.series.empty() && !core::KnowsHours(view))
    json["forecast"]["one_value"] = true;
  before_ = std::move(known);
  return lines_.Append(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace ebb::report
