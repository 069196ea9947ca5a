#include "train/text/records/chat_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::train {
namespace {

using ::testing::HasSubstr;

const ChatFields kMessages{.messages = "messages"};
const ChatFields kPair{.messages = ""};

// Returns "role: content" of each message, "*" before those that are learned; then the variables.
std::string Read(const std::string& json, const ChatFields& fields = kMessages,
                 const std::vector<std::string>& ignored = {}) {
  const auto chat = ReadChat(jinja::ParseJsonValue(json).value(), fields, ignored);
  if (!chat) return chat.error().Message();
  std::string text;
  for (std::size_t i = 0; i < chat->messages.size(); ++i)
    text += (chat->learned[i] ? "*" : "") + chat->messages[i].At("role").Printed() + ": " +
            chat->messages[i].At("content").Printed() + "; ";
  for (const auto& [name, value] : chat->variables) text += name + "=" + value.Json(-1) + "; ";
  return text;
}

constexpr const char* kChat =
    R"("messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}])";
constexpr const char* kRead = "user: q; *assistant: a; ";

std::string Beside(const std::string& more) { return "{" + std::string(kChat) + ", " + more + "}"; }

TEST(ChatRecord, ToolsAndVariablesReachTheTemplate) {
  EXPECT_EQ(Read(Beside(R"("tools": [{"name": "f"}])")),
            std::string(kRead) + R"(tools=[{"name": "f"}]; )");
  EXPECT_EQ(Read(Beside(R"("tools": "[{\"name\": \"f\"}]")")),
            std::string(kRead) + R"(tools=[{"name": "f"}]; )")
      << "as text, in files of columns";
  EXPECT_EQ(Read(Beside(R"("chat_template_kwargs": {"enable_thinking": false})")),
            std::string(kRead) + "enable_thinking=false; ");
}

TEST(ChatRecord, AFieldThatMayChangeTheMeaningIsRefusedByName) {
  for (const char* field : {R"("functions": [{"name": "f"}])", R"("documents": [{"text": "d"}])",
                            R"("chat_template": "{{ x }}")", R"("rejected": [{"role": "user"}])",
                            R"("images": ["x"])", R"("weight": 0.5)", R"("prompt": "another")"}) {
    const std::string name = std::string(field).substr(0, std::string(field).find(':'));
    EXPECT_THAT(Read(Beside(field)), HasSubstr("the field " + name + " is not known")) << field;
  }
  EXPECT_EQ(Read(Beside(R"("functions": [{"name": "f"}])"), kMessages, {"functions"}), kRead);
  EXPECT_EQ(Read(Beside(R"("functions": [{"name": "f"}])"), kMessages, {"*"}), kRead);
}

TEST(ChatRecord, WhereAChatIsFromAndNumbersDoNotMatter) {
  EXPECT_EQ(Read(Beside(R"("id": "7", "source": "x", "score": 3.5, "ok": true, "tools": [],
                           "documents": null, "prompt": "q")")),
            kRead);
}

TEST(ChatRecord, SingleTurnsCanBeLeftUnlearned) {
  EXPECT_EQ(Read(R"({"messages": [{"role": "assistant", "content": "a", "weight": 0},
        {"role": "assistant", "content": "b", "weight": 1},
        {"role": "assistant", "content": "c", "train": false}, {"role": "assistant", "content": "d"}]})"),
            "assistant: a; *assistant: b; assistant: c; *assistant: d; ");
  EXPECT_THAT(Read(R"({"messages": [{"role": "assistant", "content": "a", "weight": 0.5}]})"),
              HasSubstr("neither 0 nor 1"));
  EXPECT_THAT(Read(R"({"messages": [{"role": "assistant", "content": "a", "train_detail": []}]})"),
              HasSubstr("train_detail"));
}

TEST(ChatRecord, ConversationsOfShareGptAreRead) {
  EXPECT_EQ(Read(R"({"id": "1", "system": "s", "conversations": [{"from": "human", "value": "q"},
                     {"from": "gpt", "value": "a"}]})"),
            "system: s; user: q; *assistant: a; ");
  EXPECT_THAT(Read(R"({"conversations": [{"from": "martian", "value": "q"}]})"),
              HasSubstr("\"martian\""));
  EXPECT_THAT(Read(R"({"conversations": []})"), HasSubstr("at least one"));
  EXPECT_THAT(Read("{}"), HasSubstr("no field \"messages\""));
}

TEST(ChatRecord, APromptAndItsCompletionAreTextsOrMessages) {
  EXPECT_EQ(Read(R"({"prompt": "q", "response": "a", "helpfulness": 4})", kPair), kRead);
  EXPECT_EQ(Read(R"({"prompt": "q", "completion": "a"})", kPair), kRead);
  EXPECT_EQ(
      Read(R"({"prompt": [{"role": "user", "content": "p"}, {"role": "assistant", "content": "o"},
                     {"role": "user", "content": "q"}], "completion": [{"role": "assistant", "content": "a"}]})",
           kPair),
      "user: p; assistant: o; user: q; *assistant: a; ")
      << "what the assistant says in the prompt is not learned";
  EXPECT_THAT(Read(R"({"prompt": "q"})", kPair), HasSubstr("\"response\" is missing"));
  EXPECT_THAT(Read("[1]"), HasSubstr("not an object"));
}

}  // namespace
}  // namespace ebb::train
