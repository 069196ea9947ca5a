#include "core/devices/power_choice.h"

#include "base/text.h"
#include "base/units_text.h"

namespace ebb::core {

std::string Describe(const PowerChoice& choice) {
  if (!choice.cap && choice.limit.watts <= 0) return "left alone: " + choice.why;
  if (!choice.cap) return "left at " + PowerText(choice.limit) + ": " + choice.why;
  std::string text = "kept " + PowerText(*choice.cap) + " of " + PowerText(choice.limit) + ": " +
                     FormatFixed(100 * choice.saved, 1) + " % less energy per step, " +
                     FormatFixed(100 * choice.slower, 1) + " % slower";
  if (choice.found_by > 0) return text + " (found by job " + std::to_string(choice.found_by) + ")";
  return text + " (" + std::to_string(choice.trials.size()) + " limits tried)";
}

}  // namespace ebb::core
