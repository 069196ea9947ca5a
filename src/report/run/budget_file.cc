#include "report/run/budget_file.h"

#include "core/fields.h"

namespace ebb::report {
namespace {

// A line with limits. Lines of other events are crossings.
struct SetLine {
  static constexpr std::string_view kEvent = "set";
  int attempt = 0;
  core::Budget budget;
};

template <typename Archive, Like<SetLine> Value>
void Visit(Archive& archive, Value& value) {
  archive.Is("event", SetLine::kEvent);
  archive.Maybe("attempt", value.attempt);
  Visit(archive, value.budget);
}

struct AnyLine {
  std::string event;
};

void Visit(FieldReader& archive, AnyLine& value) { archive("event", value.event); }

}  // namespace

std::string BudgetToJson(const core::Budget& budget, int attempt) {
  return ToFieldText(SetLine{attempt, budget}, FieldStyle::kComplete);
}

std::string BudgetEventToJson(const core::BudgetEvent& event) {
  return ToFieldText(event, FieldStyle::kComplete);
}

Status AddBudgetLine(std::string_view line, std::string where, core::BudgetRecord& record) {
  constexpr auto kStyle = FieldStyle::kComplete;
  EBB_ASSIGN_OR_RETURN(const AnyLine any, FromFieldText<AnyLine>(line, where, kStyle));
  if (any.event == SetLine::kEvent) {
    EBB_ASSIGN_OR_RETURN(const SetLine set, FromFieldText<SetLine>(line, std::move(where), kStyle));
    record.budget = set.budget;
    return {};
  }
  EBB_ASSIGN_OR_RETURN(core::BudgetEvent event,
                       FromFieldText<core::BudgetEvent>(line, std::move(where), kStyle));
  record.events.push_back(event);
  return {};
}

}  // namespace ebb::report
