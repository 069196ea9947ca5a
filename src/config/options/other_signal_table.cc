// Options of the second signal, which is reported beside the one that decides.

#include "base/text.h"
#include "config/options/option_groups.h"
#include "config/options/option_member.h"
#include "core/signal/signal_choices.h"

namespace ebb::config {
namespace {

using core::OptionValue;
using signals::SignalOptions;
using signals::SignalSource;

constexpr OptionGroup kOther = OptionGroup::kOtherSignal;

// The second signal, created by the first of its options.
SignalOptions& OtherOf(RunOptions& options) {
  auto& other = options.metering.other_signal;
  return other ? *other : other.emplace();
}

// `set` changes the second signal, and `get` reads it if there is one.
template <typename Set, typename Get>
OptionMember OfOther(Set set, Get get) {
  return {[set](const OptionValue& value, RunOptions& options) -> Status {
            set(value, OtherOf(options));
            return {};
          },
          [get](const RunOptions& options) -> std::optional<OptionValue> {
            const auto& other = options.metering.other_signal;
            return other ? get(*other) : std::nullopt;
          }};
}

OptionMember OtherTrace() {
  return OfOther(
      [](const OptionValue& value, SignalOptions& other) {
        other.source = SignalSource::kReplay;
        other.trace_path = std::get<std::string>(value);
      },
      [](const SignalOptions& other) -> std::optional<OptionValue> {
        if (other.source != SignalSource::kReplay) return std::nullopt;
        return other.trace_path;
      });
}

OptionMember OtherConstant() {
  return OfOther(
      [](const OptionValue& value, SignalOptions& other) {
        other.source = SignalSource::kConstant;
        Take(value, other.constant);
      },
      [](const SignalOptions& other) { return ValueOf(other.constant); });
}

OptionMember OtherSource() {
  return OfOther(
      [](const OptionValue& value, SignalOptions& other) {
        other.source = *signals::SignalSourceFromName(std::get<std::string>(value));
      },
      [](const SignalOptions& other) { return NameOf(other.source); });
}

OptionMember OtherZone() {
  return OfOther([](const OptionValue& value, SignalOptions& other) { Take(value, other.zone); },
                 [](const SignalOptions& other) { return UnlessEmpty(other.zone); });
}

OptionMember OtherKind() {
  return OfOther(
      [](const OptionValue& value, SignalOptions& other) {
        other.kind = core::SignalKindFromName(std::get<std::string>(value));
      },
      [](const SignalOptions& other) { return NameOf(other.kind); });
}

}  // namespace

std::vector<RunOption> OtherSignalTable() {
  return {
      {.group = kOther,
       .field = Text(Flag("other-trace", "FILE"), "other_trace",
                     "a second signal, of the other kind (" + Join(core::SignalKindNames(), ", ") +
                         "), from a CSV file: reported beside the first, decides nothing"),
       .member = OtherTrace(),
       .section = kMeteringSection},
      {.group = kOther,
       .field = Number(Flag("other-constant", "G_PER_KWH"), "other_constant",
                       "a second signal: one value", "", 0, core::kMostIntensity),
       .member = OtherConstant(),
       .section = kMeteringSection},
      {.group = kOther,
       .field = Choice(Flag("other-signal", "SOURCE"), "other_signal",
                       "a second signal: a source by name", signals::SignalSourceNames()),
       .member = OtherSource(),
       .section = kMeteringSection},
      {.group = kOther,
       .field = Text(Flag("other-zone", "ZONE"), "other_zone",
                     "zone or region to ask the second signal for"),
       .member = OtherZone(),
       .section = kMeteringSection},
      {.group = kOther,
       .field = Choice(Flag("other-kind", "KIND"), "other_kind",
                       Join(core::SignalKindNames(), " or ") + ", where it has both",
                       core::SignalKindNames()),
       .member = OtherKind(),
       .section = kMeteringSection},
  };
}

}  // namespace ebb::config
