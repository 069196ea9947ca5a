#include "train/text/records/chat_record.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace ebb::train {
namespace {

using jinja::Dict;
using jinja::List;
using jinja::Value;

constexpr const char* kConversations = "conversations";
constexpr const char* kCompletion = "completion";
constexpr const char* kVariables = "chat_template_kwargs";

// Fields beside a chat that say where it is from: texts, lists and objects that do not change its
// meaning. Numbers and truth values never become text.
constexpr std::string_view kOrigins[] = {
    "id",      "prompt_id", "conversation_id", "uuid",     "hash", "source",   "dataset",
    "origin",  "category",  "topic",           "language", "lang", "model",    "timestamp",
    "created", "split",     "license",         "url",      "tags", "metadata", "meta"};

// ShareGPT's names of speakers.
constexpr std::pair<std::string_view, const char*> kSpeakers[] = {
    {"human", "user"},          {"user", "user"},         {"gpt", "assistant"},
    {"assistant", "assistant"}, {"chatgpt", "assistant"}, {"system", "system"},
    {"tool", "tool"},           {"observation", "tool"}};

tl::unexpected<Error> Refused(std::string what, std::string next = "") {
  return Fail({ExitCode::kConfiguration, std::move(what), "", std::move(next)});
}

bool IsThere(const Value& value) { return !value.is_undefined() && !value.is_none(); }

Result<Value> FromShareGpt(const Value& turn) {
  const Value from = turn.At("from"), said = turn.At("value");
  if (from.text() == nullptr || said.text() == nullptr)
    return Refused("a turn of the conversation has no \"from\" or no \"value\"");
  for (const auto& [name, role] : kSpeakers)
    if (*from.text() == name) {
      Dict message{{"role", role}, {"content", said}};
      for (const auto& [key, value] : *turn.dict())
        if (key != "from" && key != "value") message.emplace_back(key, value);
      return Value(std::move(message));
    }
  return Refused("nobody is known who is called " + Quoted(*from.text()) + " in a conversation",
                 "known are human, user, gpt, assistant, system, tool and observation");
}

// True if the message is learned. Single turns have marks: OpenAI's weight (0 or 1) and train (true
// or false).
Result<bool> IsLearned(const Value& message) {
  if (IsThere(message.At("train_detail")))
    return Refused("the field \"train_detail\" of a message is not supported");
  const Value weight = message.At("weight"), train = message.At("train");
  if (IsThere(weight) && !(weight.is_number() && (weight.AsFloat() == 0 || weight.AsFloat() == 1)))
    return Refused("the weight of a message is neither 0 nor 1");
  if (IsThere(train) && !train.is_bool())
    return Refused("the field \"train\" of a message is neither true nor false");
  return message.At("role").Equals("assistant") && !(IsThere(weight) && weight.AsFloat() == 0) &&
         !(IsThere(train) && !train.IsTrue());
}

Status Append(const Value& message, bool may_be_learned, ChatRecord& chat) {
  if (message.At("role").text() == nullptr) return Refused("a message has no role");
  EBB_ASSIGN_OR_RETURN(const bool learned, IsLearned(message));
  chat.messages.push_back(message);
  chat.learned.push_back(may_be_learned && learned);
  return {};
}

// Appends a list of messages, or a text as the speaker's message.
Status AppendAll(const Value& said, const char* speaker, bool may_be_learned, ChatRecord& chat) {
  if (said.text() != nullptr)
    return Append(Value(Dict{{"role", speaker}, {"content", said}}), may_be_learned, chat);
  if (said.list() == nullptr || said.list()->empty())
    return Refused("the messages are not a list with at least one message");
  for (const Value& message : *said.list())
    EBB_RETURN_IF_ERROR(Append(message, may_be_learned, chat));
  return {};
}

// Returns JSON as it is. A text that is JSON is parsed, because files of columns have such texts.
Result<Value> Structure(const Value& value) {
  if (value.text() == nullptr) return value;
  return jinja::ParseJsonValue(*value.text());
}

class Reader {
 public:
  Reader(const Value& record, const ChatFields& fields, std::span<const std::string> ignored)
      : record_(record), fields_(fields), ignored_(ignored) {}

  Result<ChatRecord> Read() {
    EBB_RETURN_IF_ERROR(fields_.messages.empty() ? ReadPair() : ReadMessages());
    EBB_RETURN_IF_ERROR(ReadSystem());
    EBB_RETURN_IF_ERROR(ReadVariables());
    EBB_RETURN_IF_ERROR(RefuseOthers());
    return std::move(chat_);
  }

 private:
  Value Take(const std::string& name) {
    known_.push_back(name);
    return record_.At(name);
  }

  Status ReadMessages() {
    const Value messages = Take(fields_.messages);
    if (IsThere(messages)) return AppendAll(messages, "user", true, chat_);
    const Value turns = Take(kConversations);
    if (!IsThere(turns))
      return Refused("there is no field " + Quoted(fields_.messages) + " and no \"" +
                     kConversations + "\"");
    if (turns.list() == nullptr || turns.list()->empty())
      return Refused("the conversation is not a list with at least one turn");
    for (const Value& turn : *turns.list()) {
      if (IsThere(turn.At("role"))) {
        EBB_RETURN_IF_ERROR(Append(turn, true, chat_));
        continue;
      }
      EBB_ASSIGN_OR_RETURN(const Value message, FromShareGpt(turn));
      EBB_RETURN_IF_ERROR(Append(message, true, chat_));
    }
    return {};
  }

  Status ReadPair() {
    const Value prompt = Take(fields_.prompt);
    Value response = Take(fields_.response);
    if (!IsThere(response)) response = Take(kCompletion);
    for (const auto& [name, value] :
         {std::pair(fields_.prompt, prompt), std::pair(fields_.response, response)})
      if (value.text() == nullptr && value.list() == nullptr)
        return Refused("the field " + Quoted(name) + " is missing or not text");
    EBB_RETURN_IF_ERROR(AppendAll(prompt, "user", false, chat_));
    return AppendAll(response, "assistant", true, chat_);
  }

  // Reads a system message beside a chat, if the chat has none.
  Status ReadSystem() {
    const Value system = Take("system");
    if (!IsThere(system)) return {};
    if (system.text() == nullptr) return Refused("the field \"system\" is not text");
    const bool has_one = chat_.messages.front().At("role").Equals("system");
    if (system.text()->empty() || has_one) return {};
    chat_.messages.insert(chat_.messages.begin(),
                          Value(Dict{{"role", "system"}, {"content", system}}));
    chat_.learned.insert(chat_.learned.begin(), false);
    return {};
  }

  Status ReadVariables() {
    if (const Value tools = Take("tools"); IsThere(tools)) {
      EBB_ASSIGN_OR_RETURN(const Value list, Structure(tools));
      if (list.list() == nullptr) return Refused("the field \"tools\" is not a list");
      if (!list.list()->empty()) chat_.variables.emplace_back("tools", list);
    }
    if (const Value more = Take(kVariables); IsThere(more)) {
      EBB_ASSIGN_OR_RETURN(const Value variables, Structure(more));
      if (variables.dict() == nullptr)
        return Refused(std::string("the field \"") + kVariables + "\" is not an object");
      chat_.variables.insert(chat_.variables.end(), variables.dict()->begin(),
                             variables.dict()->end());
    }
    return {};
  }

  bool SaysNothingMore(const std::string& name, const Value& value) const {
    if (!IsThere(value) || (value.Length() && *value.Length() == 0)) return true;
    if (name == "weight") return false;  // a weight of the whole record
    if (value.is_number() || (value.text() != nullptr && ParseNumber(*value.text()))) return true;
    // Public chats repeat their first question in this field.
    return name == "prompt" && value.text() != nullptr &&
           std::ranges::any_of(chat_.messages, [&](const Value& message) {
             return message.At("content").Equals(value);
           });
  }

  Status RefuseOthers() const {
    for (const auto& [name, value] : *record_.dict()) {
      const auto is = [&](const auto& known) { return known == name; };
      if (std::ranges::any_of(known_, is) || std::ranges::any_of(kOrigins, is) ||
          std::ranges::any_of(
              ignored_,
              [&](const std::string& ignored) { return ignored == name || ignored == "*"; }) ||
          SaysNothingMore(name, value))
        continue;
      return Refused(
          "the field " + Quoted(name) + " is not known, and it may change what is learned",
          "if it does not, leave it out with --ignore-fields " + name);
    }
    return {};
  }

  const Value& record_;
  const ChatFields& fields_;
  std::span<const std::string> ignored_;
  std::vector<std::string> known_;
  ChatRecord chat_;
};

}  // namespace

Result<ChatRecord> ReadChat(const Value& record, const ChatFields& fields,
                            std::span<const std::string> ignored) {
  if (record.dict() == nullptr) return Refused("the record is not an object");
  return Reader(record, fields, ignored).Read();
}

}  // namespace ebb::train
