#include "service/accounting/waited_job.h"

#include "base/field_text.h"
#include "service/accounting/settlement.h"

namespace ebb::service {
namespace {

template <typename Archive, typename Waited>
void VisitWaited(Archive& archive, Waited& waited) {
  archive("up_to_ms", waited.up_to);
  archive("start_ms", waited.start);
  archive("at_once_g", waited.at_once);
  archive("at_best_g", waited.at_best);
  archive("forecast_method", waited.forecast_method);
  archive("forecast_issued_ms", waited.forecast_issued);
}

}  // namespace

std::optional<report::HadItWaited> HadItWaitedOf(const JobCard& card,
                                                 const std::vector<core::LedgerRow>& rows,
                                                 const core::IntensitySeries& published,
                                                 const core::SignalView& outlook) {
  const bool began_at_once =
      card.first_start && *card.first_start - card.submission->job.submitted <= kStartedAtOnce;
  if (!began_at_once || card.pauses > 0) return std::nullopt;
  // The outlook may no longer contain the first hours of a long job.
  auto known = core::IntensitySeries::Create(
      outlook.known.identity(), core::Filled(published.samples(), outlook.known.samples()));
  if (!known) return std::nullopt;
  core::SignalView view = outlook;
  view.known = *std::move(known);
  return report::HadItWaitedOf(rows, view);
}

std::string WaitedText(const report::HadItWaited& waited) {
  FieldWriter writer;
  writer.BeginObject();
  VisitWaited(writer, waited);
  writer.EndObject();
  return writer.text();
}

std::optional<report::HadItWaited> WaitedFrom(const std::string& text) {
  if (text.empty()) return std::nullopt;
  report::HadItWaited waited;
  ParsedText parsed(text);
  if (!parsed.error().empty()) return std::nullopt;
  FieldReader reader = parsed.root();
  VisitWaited(reader, waited);
  return parsed.error().empty() ? std::optional(waited) : std::nullopt;
}

}  // namespace ebb::service
