// Flags for the second signal, beside the one that decides.

#include "app/options/run_flags.h"
#include "core/signal_choices.h"

namespace ebb::app::run_flags {
namespace {

// The options of the second signal, created by the first of its flags.
signals::SignalOptions& OtherSignal(RunOptions& options) {
  auto& other = options.metering.other_signal;
  if (!other) other.emplace();
  return *other;
}

// Shows a text of the second signal if there is one.
Show OfOther(const std::function<std::optional<std::string>(const signals::SignalOptions&)>& text) {
  return [text](const RunOptions& options) {
    const auto& other = options.metering.other_signal;
    return other ? text(*other) : std::nullopt;
  };
}

}  // namespace

std::vector<Flag> OtherSignalFlags() {
  return {
      {FlagGroup::kOtherSignal, "other-trace", "FILE",
       "a second signal, of the other kind (" + Join(core::SignalKindNames(), ", ") +
           "), from a CSV file: reported beside "
           "the first, decides nothing",
       Text([](RunOptions& o, const std::string& v) {
         OtherSignal(o).source = signals::SignalSource::kReplay;
         OtherSignal(o).trace_path = v;
       }),
       OfOther([](const auto& other) {
         return If(other.source == signals::SignalSource::kReplay, other.trace_path);
       })},
      {FlagGroup::kOtherSignal, "other-constant", "G_PER_KWH", "a second signal: one value",
       Number("other-constant", 0, 5000,
              [](RunOptions& o, double v) {
                OtherSignal(o).source = signals::SignalSource::kConstant;
                OtherSignal(o).constant = Intensity{v};
              }),
       OfOther([](const auto& other) {
         return other.constant ? std::optional(FormatExact(other.constant->g_per_kwh))
                               : std::nullopt;
       })},
      {FlagGroup::kOtherSignal, "other-signal", "SOURCE", "a second signal: a source by name",
       Choice("other-signal", signals::SignalSourceNames(), signals::SignalSourceFromName,
              [](RunOptions& o, signals::SignalSource v) { OtherSignal(o).source = v; }),
       OfOther([](const auto& other) { return std::optional(std::string(Name(other.source))); })},
      {FlagGroup::kOtherSignal, "other-zone", "ZONE", "zone or region to ask the second signal for",
       Text([](RunOptions& o, const std::string& v) { OtherSignal(o).zone = v; }),
       OfOther([](const auto& other) { return If(!other.zone.empty(), other.zone); })},
      {FlagGroup::kOtherSignal, "other-kind", "KIND",
       Join(core::SignalKindNames(), " or ") + ", where it has both",
       Choice("other-kind", core::SignalKindNames(), core::SignalKindFromName,
              [](RunOptions& o, core::SignalKind v) { OtherSignal(o).kind = v; }),
       OfOther([](const auto& other) {
         return other.kind ? std::optional(std::string(core::Name(*other.kind))) : std::nullopt;
       })},
  };
}

}  // namespace ebb::app::run_flags
