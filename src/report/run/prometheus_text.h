#pragma once
// A run's figures in Prometheus's text exposition format, for node_exporter's textfile collector or
// a Pushgateway. CodeCarbon's names have its units and meaning (since the last time, kWh, kg);
// Ebb's own names beside them are totals in base units.
//
// Source of the codecarbon_ names: codecarbon/output_methods/metrics/metric_docs.py, 3.3.0.

#include <span>
#include <string>

#include "core/ledger/ledger.h"

namespace ebb::report {

/// The use of a run so far. Energy includes PUE; power does not.
struct PrometheusTotals {
  double duration_s = 0;
  double emissions_g = 0;
  double unaccounted_j = 0;  ///< energy whose intensity was not known
  struct OfComponent {
    double energy_j = 0;
    double power_w = 0;  ///< power over the latest rows
  };
  OfComponent cpu, gpu, ram;

  double energy_j() const { return cpu.energy_j + gpu.energy_j + ram.energy_j; }
};

/// Adds rows to the totals: those measured since the last call.
void AddRows(std::span<const core::LedgerRow> rows, PrometheusTotals& totals);

/// `before` has the totals at the last time that the text was written.
std::string PrometheusText(const std::string& project_name, const std::string& run_id,
                           const PrometheusTotals& now, const PrometheusTotals& before);

}  // namespace ebb::report
