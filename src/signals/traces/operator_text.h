#pragma once
// What operators expect, in whichever format a file has it: our CSV (operator_csv.h), documents of
// ENTSO-E (entsoe_document.h), its CSV files (entsoe_csv.h), those of California's OASIS
// (oasis_csv.h); and zip archives of such files. Told by what the file begins with, not by its
// name. Pure but for the time zone database.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "platform/zip.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::signals {

/// The files of a zip archive, `text` itself otherwise; XML that says why OASIS has no answer is an
/// Error.
Result<std::vector<platform::ZipEntry>> FilesIn(std::string text, const std::string& path);

/// `zone` as intensity names it ("DE"): which of several areas to take; "": not known.
Status ReadOperatorText(std::string text, const std::string& path, const std::string& zone,
                        OperatorParts& parts);

}  // namespace ebb::signals
