#include "report/impact/impact.h"

#include <algorithm>

#include "report/impact/documents.h"
#include "report/impact/latex.h"

namespace ebb::report {

std::optional<ImpactKindText> ImpactKindFromName(std::string_view name) {
  const auto found = std::ranges::find(kImpactKinds, name, &ImpactKindText::name);
  return found == kImpactKinds.end() ? std::nullopt : std::optional(*found);
}

std::string ImpactKindNames() {
  std::string names;
  for (const ImpactKindText& kind : kImpactKinds)
    names += (names.empty() ? "" : "|") + std::string(kind.name);
  return names;
}

std::string ImpactText(const PeriodReport& report, const ImpactRequest& request) {
  switch (request.kind) {
    case ImpactKind::kModelCard:
      return ModelCardText(report, request.version);
    case ImpactKind::kPaperMarkdown:
      return MarkdownOf(ExperimentDocument(report, request.version));
    case ImpactKind::kPaperLatex:
      return LatexOf(ExperimentDocument(report, request.version));
    case ImpactKind::kSci:
      return MarkdownOf(SciDocument(report, request.unit, request.version));
    case ImpactKind::kGhg:
      return MarkdownOf(Scope2Document(report, request.version));
    case ImpactKind::kCsrd:
      break;
  }
  return EsrsCsv(report);
}

}  // namespace ebb::report
