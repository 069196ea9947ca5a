#pragma once
// The reports for others, one function and one file each.

#include <string>

#include "report/impact/document.h"
#include "report/impact/sci.h"
#include "report/period/period.h"

namespace ebb::report {

/// The metadata `co2_eq_emissions` and the section "Environmental Impact" of a model card
/// (Hugging Face, "Displaying carbon emissions for your model", and its model card template).
std::string ModelCardText(const PeriodReport& report, const std::string& version);

/// A section for a paper: a sentence, tables, and what they rest on.
Document ExperimentDocument(const PeriodReport& report, const std::string& version);

/// The SCI with its terms.
Document SciDocument(const PeriodReport& report, FunctionalUnit unit, const std::string& version);

/// Scope 2 by both methods (GHG Protocol, Scope 2 Guidance, 2015).
Document Scope2Document(const PeriodReport& report, const std::string& version);

/// The data points of ESRS E1-5 and E1-6 that Ebb knows (Regulation (EU) 2023/2772; numbers of
/// data points: EFRAG IG 3, 2024), a line for each and for each row of the report.
std::string EsrsCsv(const PeriodReport& report);

}  // namespace ebb::report
