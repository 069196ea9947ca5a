#pragma once
// What operators expect, in whichever format a file has it: our CSV (operator_csv.h), documents of
// ENTSO-E (entsoe_document.h), its CSV files (entsoe_csv.h). Told by what the file begins with, not
// by its name. Pure but for the time zone database.

#include <string>
#include <string_view>

#include "base/result.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::signals {

/// `zone` as intensity names it ("DE"): which of several areas to take; "": not known.
Status ReadOperatorText(std::string_view text, const std::string& path, const std::string& zone,
                        OperatorParts& parts);

}  // namespace ebb::signals
