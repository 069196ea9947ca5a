#pragma once
// Reports in the forms that others ask for, all made from the report of a period
// (report/period/period.h), so that every figure is the one that the period's report states
// (docs/report-impact.md). Each says its method, its uncertainty and its coverage. Pure.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "report/impact/sci.h"
#include "report/period/period.h"

namespace ebb::report {

enum class ImpactKind { kModelCard, kPaperMarkdown, kPaperLatex, kSci, kGhg, kCsrd };

/// A kind as people name it.
struct ImpactKindText {
  ImpactKind kind;
  std::string_view name;  ///< "model-card"
  std::string_view file;  ///< the name of its file: "model-card.md"
};

inline constexpr std::array<ImpactKindText, 6> kImpactKinds{{
    {ImpactKind::kModelCard, "model-card", "model-card.md"},
    {ImpactKind::kPaperMarkdown, "paper-markdown", "impact.md"},
    {ImpactKind::kPaperLatex, "paper-latex", "impact.tex"},
    {ImpactKind::kSci, "sci", "sci.md"},
    {ImpactKind::kGhg, "ghg", "scope2.md"},
    {ImpactKind::kCsrd, "csrd", "esrs-e1.csv"},
}};
std::optional<ImpactKindText> ImpactKindFromName(std::string_view name);
/// "model-card|paper-markdown|...", for help.
std::string ImpactKindNames();

struct ImpactRequest {
  ImpactKind kind = ImpactKind::kModelCard;
  FunctionalUnit unit = FunctionalUnit::kRun;  ///< of the SCI
  std::string version;                         ///< of Ebb
};

/// The text of the report, ending in a newline.
std::string ImpactText(const PeriodReport& report, const ImpactRequest& request);

}  // namespace ebb::report
