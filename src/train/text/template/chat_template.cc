#include "train/text/template/chat_template.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "train/text/template/jinja_renderer.h"

namespace ebb::train {
namespace {

using jinja::Dict;
using jinja::List;
using jinja::Value;

tl::unexpected<Error> Refused(std::string what, std::string next = "") {
  return Fail({ExitCode::kConfiguration, std::move(what), "", std::move(next)});
}

// The thinking before the answer has several names in chats; templates read the first or the last
// of these.
void NameReasoning(Dict& message) {
  for (const char* name : {"reasoning_content", "thinking", "reasoning"}) {
    const Value reasoning = Value(message).At(name);
    if (reasoning.is_undefined() || reasoning.is_none()) continue;
    if (Value(message).At("thinking").is_undefined()) message.emplace_back("thinking", reasoning);
    message.emplace_back("reasoning_content", reasoning);
    return;
  }
}

Result<List> MessagesFrom(const Value& value) {
  if (value.list() == nullptr || value.list()->empty())
    return Refused("the messages are not a list with at least one message");
  for (const Value& message : *value.list()) {
    if (message.At("role").text() == nullptr) return Refused("a message has no role");
    NameReasoning(*message.dict());
  }
  return *value.list();
}

// True if the template has {% generation %}, however it is spaced.
bool MarksAnswers(std::string_view jinja) {
  for (std::size_t at = jinja.find("generation"); at != jinja.npos;
       at = jinja.find("generation", at + 1)) {
    const std::string_view before = Trim(jinja.substr(0, at));
    if (before.ends_with("{%") || before.ends_with("{%-") || before.ends_with("{%+")) return true;
  }
  return false;
}

}  // namespace

struct ChatTemplate::Parsed {
  jinja::Block block;
  std::optional<jinja::Block> marking;  // the same with marks around its answers
  Dict special;

  Result<std::string> Render(List messages, ChatEnd end, const Dict& more) const {
    return Render(block, std::move(messages), end, more);
  }

  Result<std::string> Render(const jinja::Block& with, List messages, ChatEnd end,
                             const Dict& more) const {
    Dict variables = special;
    variables.emplace_back("messages", std::move(messages));
    variables.emplace_back("tools", jinja::None{});
    variables.emplace_back("documents", jinja::None{});
    variables.emplace_back("add_generation_prompt", end == ChatEnd::kOpenForAnswer);
    variables.insert(variables.end(), more.begin(), more.end());
    return jinja::Render(with, variables);
  }
};

Result<ChatTemplate> ChatTemplate::Parse(std::string_view jinja, const Tokenizer& tokenizer) {
  auto parsed = std::make_shared<Parsed>();
  EBB_ASSIGN_OR_RETURN(parsed->block, jinja::ParseTemplate(jinja));
  EBB_RETURN_IF_ERROR(jinja::CheckNames(parsed->block));
  if (MarksAnswers(jinja)) {
    EBB_ASSIGN_OR_RETURN(parsed->marking, jinja::ParseTemplate(jinja, jinja::AnswerMarks::kShown));
  }
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
  EBB_ASSIGN_OR_RETURN(const Value value, jinja::ParseJsonValue(messages_json));
  EBB_ASSIGN_OR_RETURN(List messages, MessagesFrom(value));
  Dict more;
  if (!variables_json.empty()) {
    EBB_ASSIGN_OR_RETURN(const Value variables, jinja::ParseJsonValue(variables_json));
    if (variables.dict() == nullptr) return Refused("the variables are not an object");
    more = *variables.dict();
  }
  return parsed_->Render(std::move(messages), end, more);
}

namespace {

std::size_t CommonBeginning(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// Cuts off a marker that has begun and not ended: "<|end|>\n<|" of "<|end|>\n<|user|>".
std::string_view WithoutOpenMarker(std::string_view text) {
  for (const char* pair : {"<>", "[]"}) {
    const std::size_t begin = text.rfind(pair[0]);
    if (begin != text.npos && text.find(pair[1], begin) == text.npos) text = text.substr(0, begin);
  }
  return text;
}

List First(const List& messages, std::size_t count) {
  return List(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(count));
}

// Returns the text without its marks, and the places where they were.
MarkedText WithoutMarks(std::string_view text) {
  MarkedText marked;
  std::size_t begin = 0;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find(jinja::kAnswerBegin), text.find(jinja::kAnswerEnd));
    marked.text += text.substr(0, at);
    if (at == text.npos) break;
    const bool begins = text.substr(at).starts_with(jinja::kAnswerBegin);
    if (begins)
      begin = marked.text.size();
    else
      marked.answers.push_back({begin, marked.text.size()});
    text.remove_prefix(at + (begins ? jinja::kAnswerBegin : jinja::kAnswerEnd).size());
  }
  return marked;
}

}  // namespace

namespace {

// Keeps the learned ones of the answers that a template marks, one for each turn of the assistant.
MarkedText Learned(MarkedText marked, const std::vector<std::size_t>& turns,
                   const std::vector<bool>& learned) {
  const auto is_learned = [&](std::size_t turn) { return learned[turn]; };
  if (std::ranges::all_of(turns, is_learned)) {
    if (marked.answers.size() < turns.size())
      marked.answers_not_found = turns.size() - marked.answers.size();
    return marked;
  }
  std::vector<TextRange> kept;
  if (marked.answers.size() == turns.size()) {
    for (std::size_t i = 0; i < turns.size(); ++i)
      if (learned[turns[i]]) kept.push_back(marked.answers[i]);
  } else {
    marked.answers_not_found = static_cast<std::size_t>(std::ranges::count_if(turns, is_learned));
  }
  marked.answers = std::move(kept);
  return marked;
}

}  // namespace

// Finds the turns of one chat in the text that a template writes of it.
class ChatTemplate::Finder {
 public:
  Finder(const Parsed& parsed, const List& messages, const Dict& variables)
      : parsed_(parsed), messages_(messages), variables_(variables) {}

  Result<std::string> Whole() const { return Rendered(messages_); }

  Result<std::optional<TextRange>> Find(std::size_t turn, std::string_view whole) const {
    if (turn > 0) {
      EBB_ASSIGN_OR_RETURN(const std::string before,
                           Rendered(First(messages_, turn), ChatEnd::kOpenForAnswer));
      EBB_ASSIGN_OR_RETURN(const std::string after, Rendered(First(messages_, turn + 1)));
      if (whole.starts_with(before) && whole.starts_with(after) && before.size() < after.size())
        return TextRange{before.size(), after.size()};
    }
    return FindByStandIn(turn, whole);
  }

 private:
  static constexpr std::string_view kStandIn = "EbbStandsHereInPlaceOfTheAnswer";

  Result<std::string> Rendered(List messages, ChatEnd end = ChatEnd::kAsItIs) const {
    return parsed_.Render(std::move(messages), end, variables_);
  }

  // Replaces the turn by another text and renders again: the text before and behind the turn stays
  // the same.
  Result<std::optional<TextRange>> FindByStandIn(std::size_t turn, std::string_view whole) const {
    List replaced = messages_;
    replaced[turn] = Dict{{"role", "assistant"}, {"content", std::string(kStandIn)}};
    EBB_ASSIGN_OR_RETURN(const std::string text, Rendered(replaced));
    const std::size_t at = text.find(kStandIn);
    if (at == text.npos || text.find(kStandIn, at + 1) != text.npos) return std::nullopt;
    const std::string_view before = std::string_view(text).substr(0, at),
                           behind = std::string_view(text).substr(at + kStandIn.size());
    if (before.size() + behind.size() > whole.size() || !whole.starts_with(before) ||
        !whole.ends_with(behind))
      return std::nullopt;
    EBB_ASSIGN_OR_RETURN(const std::string last, Rendered(First(replaced, turn + 1)));
    const std::size_t last_at = last.find(kStandIn);
    const std::string_view end = last_at == last.npos
                                     ? std::string_view()
                                     : std::string_view(last).substr(last_at + kStandIn.size());
    // The turn's end is the text behind it that is the same with and without later turns. The
    // marker of the next turn may begin like the end of a last turn, so an open marker is cut off.
    const std::string_view common = behind.substr(0, CommonBeginning(behind, end));
    const bool is_cut = common.size() < behind.size() || common.size() < end.size();
    const TextRange range{
        at, whole.size() - behind.size() + (is_cut ? WithoutOpenMarker(common) : common).size()};
    return range.begin < range.end ? std::optional(range) : std::nullopt;
  }

  const Parsed& parsed_;
  const List& messages_;
  const Dict& variables_;
};

Result<MarkedText> ChatTemplate::Marked(const ChatRecord& chat) const {
  EBB_ASSIGN_OR_RETURN(const List messages, MessagesFrom(Value(chat.messages)));
  std::vector<std::size_t> turns;  // numbers of the assistant's turns
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (messages[i].At("role").Equals("assistant")) turns.push_back(i);
  if (parsed_->marking) {
    EBB_ASSIGN_OR_RETURN(const std::string text, parsed_->Render(*parsed_->marking, messages,
                                                                 ChatEnd::kAsItIs, chat.variables));
    MarkedText marked = WithoutMarks(text);
    return Learned(std::move(marked), turns, chat.learned);
  }
  const Finder finder(*parsed_, messages, chat.variables);
  MarkedText marked;
  EBB_ASSIGN_OR_RETURN(marked.text, finder.Whole());
  for (const std::size_t turn : turns) {
    if (!chat.learned[turn]) continue;
    EBB_ASSIGN_OR_RETURN(const auto range, finder.Find(turn, marked.text));
    if (range)
      marked.answers.push_back(*range);
    else
      ++marked.answers_not_found;
  }
  return marked;
}

}  // namespace ebb::train
