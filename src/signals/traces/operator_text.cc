#include "signals/traces/operator_text.h"

#include "signals/traces/entsoe_areas.h"
#include "signals/traces/entsoe_csv.h"
#include "signals/traces/entsoe_document.h"
#include "signals/traces/operator_csv.h"
#include "signals/traces/xml_tree.h"

namespace ebb::signals {

Status ReadOperatorText(std::string_view text, const std::string& path, const std::string& zone,
                        OperatorParts& parts) {
  if (LooksLikeXml(text)) {
    EBB_ASSIGN_OR_RETURN(const EntsoeDocument document, ParseEntsoeDocument(text, path));
    return AddEntsoeForecasts(document, path, parts);
  }
  if (!IsEntsoeCsv(text)) return ReadOperatorCsv(text, path, parts);
  const EntsoeArea* area = AreaOfZone(zone);
  return ReadEntsoeCsv(text, path, area ? std::string(area->balance) : "", parts);
}

}  // namespace ebb::signals
