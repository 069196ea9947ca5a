// Fuzz target: any bytes as a configuration are either refused with an Error that names the file,
// or give a configuration within its limits. Run: build/fuzz/bin/train_config_fuzz
// -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "config/run/train_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto config = ebb::config::ParseTrainConfig(text, "fuzz.yaml");
  if (!config) {
    EBB_CHECK(!config.error().what.empty() &&
              config.error().where.find("fuzz.yaml") != std::string::npos);
    return 0;
  }
  EBB_CHECK(config->training.batch_size >= 1 && config->training.epochs >= 1);
  EBB_CHECK(!config->training.seeds.empty() && !config->training.run_name.empty());
  EBB_CHECK(config->scheduler.threshold.g_per_kwh >= 0 && config->metering.pue.ratio >= 1);
  return 0;
}
