#include "train/text/chat_template.h"

#include <algorithm>

#include "base/text.h"
#include "train/text/jinja_renderer.h"

namespace ebb::train {
namespace {

using jinja::Dict;
using jinja::List;
using jinja::Value;

tl::unexpected<Error> Refused(std::string what, std::string next = "") {
  return Fail({ExitCode::kConfiguration, std::move(what), "", std::move(next)});
}

// What was thought before the answer goes by several names; templates look for the first and the
// last of these.
void NameReasoning(Dict& message) {
  for (const char* name : {"reasoning_content", "thinking", "reasoning"}) {
    const Value reasoning = Value(message).At(name);
    if (reasoning.is_undefined() || reasoning.is_none()) continue;
    if (Value(message).At("thinking").is_undefined()) message.emplace_back("thinking", reasoning);
    message.emplace_back("reasoning_content", reasoning);
    return;
  }
}

Result<List> MessagesFrom(std::string_view json) {
  EBB_ASSIGN_OR_RETURN(const Value value, jinja::ParseJsonValue(json));
  if (value.list() == nullptr || value.list()->empty())
    return Refused("the messages are not a list with at least one message");
  for (const Value& message : *value.list()) {
    if (message.At("role").text() == nullptr) return Refused("a message has no role");
    NameReasoning(*message.dict());
  }
  return *value.list();
}

}  // namespace

struct ChatTemplate::Parsed {
  jinja::Block block;
  Dict special;

  Result<std::string> Render(List messages, ChatEnd end, const Dict& more) const {
    Dict variables = special;
    variables.emplace_back("messages", std::move(messages));
    variables.emplace_back("tools", jinja::None{});
    variables.emplace_back("documents", jinja::None{});
    variables.emplace_back("add_generation_prompt", end == ChatEnd::kOpenForAnswer);
    variables.insert(variables.end(), more.begin(), more.end());
    return jinja::Render(block, variables);
  }
};

Result<ChatTemplate> ChatTemplate::Parse(std::string_view jinja, const Tokenizer& tokenizer) {
  auto parsed = std::make_shared<Parsed>();
  EBB_ASSIGN_OR_RETURN(parsed->block, jinja::ParseTemplate(jinja));
  EBB_RETURN_IF_ERROR(jinja::CheckNames(parsed->block));
  const auto add = [&](const char* name, std::optional<TokenId> id) {
    if (const auto text = id ? tokenizer.TokenText(*id) : std::nullopt)
      parsed->special.emplace_back(name, *text);
  };
  add("bos_token", tokenizer.special().begin);
  add("eos_token", tokenizer.special().end);
  add("pad_token", tokenizer.special().padding);
  add("unk_token", tokenizer.special().unknown);
  return ChatTemplate(std::move(parsed));
}

Result<ChatTemplate> ChatTemplate::Of(const Tokenizer& tokenizer) {
  if (!tokenizer.chat_template())
    return Refused("the tokenizer has no chat template",
                   "add chat_template to tokenizer_config.json, or use a pattern");
  return Parse(*tokenizer.chat_template(), tokenizer);
}

Result<std::string> ChatTemplate::Render(std::string_view messages_json, ChatEnd end,
                                         std::string_view variables_json) const {
  EBB_ASSIGN_OR_RETURN(List messages, MessagesFrom(messages_json));
  Dict more;
  if (!variables_json.empty()) {
    EBB_ASSIGN_OR_RETURN(const Value variables, jinja::ParseJsonValue(variables_json));
    if (variables.dict() == nullptr) return Refused("the variables are not an object");
    more = *variables.dict();
  }
  return parsed_->Render(std::move(messages), end, more);
}

// A template that writes earlier turns differently once later ones follow (Qwen 3 leaves out what
// was thought) has no place for the earlier ones in the whole text: only the turns whose beginning
// is a beginning of the whole are marked.
Result<MarkedText> ChatTemplate::Marked(std::string_view messages_json) const {
  EBB_ASSIGN_OR_RETURN(const List messages, MessagesFrom(messages_json));
  MarkedText marked;
  EBB_ASSIGN_OR_RETURN(marked.text, parsed_->Render(messages, ChatEnd::kAsItIs, {}));
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!messages[i].At("role").Equals("assistant") || i == 0) continue;
    const auto first = [&](std::size_t count) {
      return List(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(count));
    };
    EBB_ASSIGN_OR_RETURN(const std::string before,
                         parsed_->Render(first(i), ChatEnd::kOpenForAnswer, {}));
    EBB_ASSIGN_OR_RETURN(const std::string after,
                         parsed_->Render(first(i + 1), ChatEnd::kAsItIs, {}));
    if (marked.text.starts_with(before) && marked.text.starts_with(after) &&
        before.size() < after.size())
      marked.answers.push_back({before.size(), after.size()});
  }
  return marked;
}

}  // namespace ebb::train
