// Tests with our own templates in the forms of the model families. tests/peers compares these and
// others with transformers.

#include "train/text/template/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/scratch_directory.h"
#include "testing/source_tree.h"
#include "train/text/records/text_data.h"
#include "train/text/records/text_dataset_for_test.h"

namespace ebb::train {
namespace {

using ::testing::HasSubstr;

constexpr const char* kChatMl = R"({% for message in messages -%}
    {%- if loop.first and message.role != 'system' %}
        {{- '<|im_start|>system\nBe brief.<|im_end|>\n' }}
    {%- endif %}
    {{- '<|im_start|>' + message.role + '\n' + message.content | trim + '<|im_end|>' + '\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %})";

Tokenizer Family(const std::string& name, const std::string& config = "{}") {
  const auto text = platform::ReadFile(SourceTree() + "/tests/golden/tokenizers/" + name + ".json");
  return Tokenizer::Parse(*text, config, name).value();
}

std::string Rendered(const std::string& jinja,
                     const std::string& messages = R"([{"role": "user", "content": "Hi"}])",
                     const std::string& variables = "") {
  const auto chat = ChatTemplate::Parse(jinja, Family("qwen"));
  if (!chat) return "refused: " + chat.error().Message();
  const auto text = chat->Render(messages, ChatEnd::kAsItIs, variables);
  return text ? *text : "failed: " + text.error().Message();
}

// Returns the learned parts of a chat.
std::vector<std::string> AnswersOf(const std::string& jinja, const std::string& messages) {
  const auto chat = ChatTemplate::Parse(jinja, Family("qwen"));
  if (!chat) return {"refused: " + chat.error().Message()};
  const auto record = ReadChat(jinja::ParseJsonValue("{\"messages\": " + messages + "}").value(),
                               {.messages = "messages"}, {});
  if (!record) return {"refused: " + record.error().Message()};
  const auto marked = chat->Marked(*record);
  if (!marked) return {"failed: " + marked.error().Message()};
  std::vector<std::string> answers;
  for (const TextRange& range : marked->answers)
    answers.push_back(marked->text.substr(range.begin, range.end - range.begin));
  if (marked->answers_not_found > 0)
    answers.push_back(std::to_string(marked->answers_not_found) + " not found");
  return answers;
}

TEST(ChatTemplate, WritesChatMl) {
  const auto chat = ChatTemplate::Parse(kChatMl, Family("qwen"));
  ASSERT_TRUE(chat) << chat.error().Message();
  EXPECT_EQ(*chat->Render(R"([{"role": "user", "content": " Hi\n"}])", ChatEnd::kOpenForAnswer),
            "<|im_start|>system\nBe "
            "brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_THAT(
      AnswersOf(
          kChatMl,
          R"([{"role": "system", "content": "s"}, {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"},
          {"role": "user", "content": "r"}, {"role": "assistant", "content": "b"}])"),
      testing::ElementsAre("a<|im_end|>\n", "b<|im_end|>\n"));
}

// This template leaves the thinking out of all turns but the last, as Qwen 3 does.
constexpr const char* kForgetsThoughts = R"({%- for m in messages %}
{%- if m.role == 'assistant' %}
{%- set said = m.content.split('</think>')[-1].lstrip('\n') %}
{{- '<|im_start|>assistant\n' + ('<think>\nhm\n</think>\n\n' if loop.last else '') + said + '<|im_end|>\n' }}
{%- else %}
{{- '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\n' }}
{%- endif %})";

constexpr const char* kTwoTurns =
    R"([{"role": "user", "content": "q"}, {"role": "assistant", "content": "<think>\nhm\n</think>\n\nfirst"},
        {"role": "user", "content": "r"}, {"role": "assistant", "content": "<think>\nhm\n</think>\n\nsecond"}])";

TEST(ChatTemplate, AnEarlierTurnIsLearnedAsItStandsInTheWholeChat) {
  EXPECT_THAT(
      AnswersOf(kForgetsThoughts, kTwoTurns),
      testing::ElementsAre("first<|im_end|>\n", "<think>\nhm\n</think>\n\nsecond<|im_end|>\n"));
}

// As in distilled R1 models, the opening of an answer has a word that an answer in the chat lacks.
// As in Phi 3, a token follows the last turn and begins like the marker of the next turn.
TEST(ChatTemplate, TheMarkerOfTheNextTurnIsNotLearned) {
  constexpr const char* kEndsWithAToken =
      "{% for m in messages %}{{ '<|' + m.role + '|>\n' + m.content + '<|end|>\n' }}{% endfor %}"
      "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% else %}{{ '<|im_end|>' }}{% endif "
      "%}";
  EXPECT_THAT(AnswersOf(kEndsWithAToken, kTwoTurns),
              testing::ElementsAre(testing::EndsWith("first<|end|>\n"),
                                   testing::EndsWith("second<|end|>\n<|im_end|>")));
}

TEST(ChatTemplate, AnAnswerWhoseOpeningBeginsToThinkIsFound) {
  constexpr const char* kOpensThoughts =
      "{% for m in messages %}{% if m.role == 'user' %}<U>{{ m.content }}{% else %}<A>{{ "
      "m.content.split('</think>')[-1] }}<E>{% endif %}{% endfor %}{% if add_generation_prompt "
      "%}<A><think>\n{% endif %}";
  EXPECT_THAT(AnswersOf(kOpensThoughts, kTwoTurns),
              testing::ElementsAre("\n\nfirst<E>", "\n\nsecond<E>"));
}

TEST(ChatTemplate, ATemplateMaySayByItselfWhereItsAnswersAre) {
  constexpr const char* kMarks =
      "{% for m in messages %}{% if m.role == 'assistant' %}<A>{%- generation %}{{ m.content }}<E>"
      "{% endgeneration %}{% else %}<U>{{ m.content }}{% endif %}{% endfor %}";
  const std::string chat =
      R"([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"},
          {"role": "user", "content": "r"}, {"role": "assistant", "content": "b"}])";
  EXPECT_THAT(AnswersOf(kMarks, chat), testing::ElementsAre("a<E>", "b<E>"));
  EXPECT_EQ(Rendered(kMarks, chat), "<U>q<A>a<E><U>r<A>b<E>");
  const std::string weighted =
      R"([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a", "weight": 0},
          {"role": "user", "content": "r"}, {"role": "assistant", "content": "b"}])";
  EXPECT_THAT(AnswersOf(kMarks, weighted), testing::ElementsAre("b<E>"));
  EXPECT_THAT(AnswersOf(kChatMl, weighted), testing::ElementsAre("b<|im_end|>\n"));
}

TEST(ChatTemplate, AnAnswerThatIsNotShownIsCounted) {
  EXPECT_THAT(AnswersOf("{{ messages[0].content }}", kTwoTurns),
              testing::ElementsAre("2 not found"));
}

TEST(ChatTemplate, ATurnThatCallsAToolIsLearnedWhole) {
  constexpr const char* kTools =
      "{% for m in messages %}<{{ m.role }}>{{ m.content or '' }}{% if m.tool_calls %}"
      "{{ m.tool_calls | tojson }}{% endif %}<E>{% endfor %}{% if add_generation_prompt "
      "%}<assistant>{% endif %}{% if tools %}{% endif %}";
  EXPECT_THAT(AnswersOf(kTools, R"([{"role": "user", "content": "q"},
        {"role": "assistant", "content": null, "tool_calls": [{"name": "f"}]},
        {"role": "tool", "content": "4"}, {"role": "assistant", "content": "four"}])"),
              testing::ElementsAre(R"([{"name": "f"}]<E>)", "four<E>"));
}

TEST(ChatTemplate, TrainsOnTheAnswersOfChats) {
  const std::filesystem::path folder = ScratchDirectory();
  const std::string config =
      "{\"bos_token\": \"<|begin_of_text|>\", \"eos_token\": \"<|eot_id|>\", \"chat_template\": "
      "\"" +
      std::string(
          "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role "
          "}}<|end_header_id|>{{ m.content }}<|eot_id|>{% endfor %}{% if add_generation_prompt "
          "%}<|start_header_id|>assistant<|end_header_id|>{% endif %}") +
      "\"}";
  const Tokenizer tokenizer = Family("llama3", config);
  TextDataOptions options = *TextDataPreset("chat");
  options.validation_share = 0;
  options.files = {folder / "chats.jsonl"};
  ASSERT_TRUE(platform::WriteFileAtomically(
      options.files[0],
      R"({"messages": [{"role": "user", "content": "How?"}, {"role": "assistant", "content": "So."}]})"));
  const auto chats = LoadTextData(options, tokenizer);
  ASSERT_TRUE(chats) << chats.error().Message();
  const std::uint32_t row = 0;
  const TextBatch batch = chats->training.Batch({&row, 1});
  std::vector<TokenId> all, learnt;
  for (std::size_t i = 0; i < batch.columns; ++i) {
    all.push_back(static_cast<TokenId>(batch.ids[i]));
    if (batch.loss_mask[i] == 1) learnt.push_back(all.back());
  }
  EXPECT_EQ(*tokenizer.Decode(all, SpecialTokens::kIncluded),
            "<|begin_of_text|><|start_header_id|>user<|end_header_id|>How?<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>So.<|eot_id|>");
  EXPECT_EQ(*tokenizer.Decode(learnt, SpecialTokens::kIncluded), "So.<|eot_id|>");
  options.chat = ChatFields{"", "q", "a"};
  ASSERT_TRUE(platform::WriteFileAtomically(folder / "pairs.csv", "q,a\nHow?,So.\n"));
  options.files = {folder / "pairs.csv"};
  const auto pairs = LoadTextData(options, tokenizer);
  EXPECT_EQ(SeenRows(pairs->training), SeenRows(chats->training));
  EXPECT_THAT(LoadTextData(options, Family("llama3")).error().Message(),
              HasSubstr("no chat template"));
}

TEST(ChatTemplate, CalculatesAsPythonDoes) {
  EXPECT_EQ(
      Rendered("{{ 1 + 2 * 3 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 1 / 2 }} {{ 2 * 1.5 }}"),
      "7 3 -4 2 0.5 3.0");
  EXPECT_EQ(Rendered("{{ 'a' ~ 1 + 2 }}"),
            "failed: the chat template: the operator + between things that it is not for");
  EXPECT_EQ(Rendered("{{ [1, 'a', none, true, {'k': 2.0}] }}"), "[1, 'a', None, True, {'k': 2.0}]");
  EXPECT_EQ(Rendered("{{ {'k': [1, 'ü\"'], 'n': none} | tojson }}"),
            R"({"k": [1, "ü\""], "n": null})");
  EXPECT_EQ(Rendered("{{ {'k': [1]} | tojson(indent=2) }}"), "{\n  \"k\": [\n    1\n  ]\n}");
  EXPECT_EQ(Rendered("{{ 'abcde'[1:3] }}{{ 'abcde'[::-1] }}{{ 'abcde'[-2:] }}{{ [1,2,3][::-1] }}{{ "
                     "'abc'[-1] }}"),
            "bcedcbade[3, 2, 1]c");
  EXPECT_EQ(
      Rendered(
          "{{ 1 < 2 < 3 }}{{ 1 < 2 > 3 }}{{ not 1 == 2 }}{{ 'a' in 'cat' }}{{ 'x' not in ['y'] }}"),
      "TrueFalseTrueTrueTrue");
  EXPECT_EQ(
      Rendered(
          "{{ 'x' if false }}|{{ nothing }}|{{ nothing | default('d') }}|{{ nothing is defined }}"),
      "||d|False");
  EXPECT_EQ(Rendered("{{ ' a b '.strip() }}{{ 'a</think>b'.split('</think>')[-1] }}{{ "
                     "'xxa'.lstrip('x') }}{{ ['a','b'] | join('-') }}"),
            "a bbaa-b");
}

TEST(ChatTemplate, KeepsScopesAsJinjaDoes) {
  EXPECT_EQ(Rendered("{% set x = 1 %}{% for i in range(3) %}{% set x = i %}{% endfor %}{{ x }}"),
            "1");
  EXPECT_EQ(Rendered("{% set n = namespace(x=0) %}{% for i in range(3) %}{% set n.x = n.x + i %}{% "
                     "endfor %}{{ n.x }}"),
            "3");
  EXPECT_EQ(
      Rendered(
          "{% macro m(a, b='z') %}{{ a }}{{ b }}{% endmacro %}{{ m('x') }}{{ m('x', b='y') }}"),
      "xzxy");
  EXPECT_EQ(Rendered("{% set t %}a{{ 1 }}{% endset %}{{ t }}"), "a1");
  EXPECT_EQ(Rendered("{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{% endfor %}"), "a1");
  EXPECT_EQ(Rendered("{% for i in [1, 2, 3, 4] if i is odd %}{{ loop.index }}:{{ i }}{{ ',' if not "
                     "loop.last }}{% else %}none{% endfor %}"),
            "1:1,2:3");
  EXPECT_EQ(Rendered("{% for i in range(9) %}{% if i == 1 %}{% continue %}{% elif i == 3 %}{% "
                     "break %}{% endif %}{{ i }}{% endfor %}"),
            "02");
}

TEST(ChatTemplate, TakesWhitespaceAwayAsJinjaDoes) {
  EXPECT_EQ(Rendered("a\n  {% if true %}\nb\n  {% endif %}\nc\n"), "a\nb\nc");
  EXPECT_EQ(Rendered("a  {%- if true -%}  b  {%- endif %} c"), "ab c");
  EXPECT_EQ(Rendered("a {# gone #}\n b {{ 1 }}\n"), "a  b 1");
  EXPECT_EQ(Rendered("  {%+ if true +%}\nx{% endif %}"), "  \nx");
  EXPECT_EQ(Rendered("{{ {'a': {'b': 1}}['a'] }}{{ '}}' }}"), "{'b': 1}}}");
}

TEST(ChatTemplate, NamesWhatItDoesNotSupport) {
  for (const auto& [jinja, message] : std::vector<std::pair<const char*, const char*>>{
           {"\n{% include 'x' %}", "line 2 of the template: {% include %} is not supported"},
           {"{{ x | sort }}", "the filter \"sort\" is not supported"},
           {"{{ x is callable }}", "the test \"callable\" is not supported"},
           {"{{ x.pop() }}", "the method \"pop\" is not supported"},
           {"{{ f(1) }}", "the function \"f\" is not known"},
           {"{{ strftime_now('%d') }}", "asks for today's date"},
           {"{{ raise_exception('No.') }}", "the chat template refuses this chat: No."},
           {"{% for i in 3 %}{% endfor %}", "not a list"},
           {"{% if true %}", "ends before {% endif %}"},
           {"{{ 'a }}", "never ends"},
           {"{{ 1 + }}", "an expression is missing"},
           {"{{ a.b.c }}", "the member \"b\" of something undefined"},
           {"{% break %}", "not in a loop"},
           {"{{ 1 // 0 }}", "division by zero"}})
    EXPECT_THAT(Rendered(jinja), HasSubstr(message)) << jinja;
  EXPECT_THAT(Rendered("x", "[]"), HasSubstr("at least one message"));
  EXPECT_THAT(Rendered("x", "[{}]"), HasSubstr("no role"));
  EXPECT_THAT(Rendered("x", "{"), HasSubstr("not JSON"));
}

TEST(ChatTemplate, EndsWhateverATemplateAsksFor) {
  EXPECT_THAT(Rendered("{% for a in range(2000) %}{% for b in range(2000) %}{{ a }}{% endfor "
                       "%}{% endfor %}"),
              HasSubstr("failed"));
  std::string doubling = "{% set a = 'aaaaaaaa' %}",
              nesting =
                  "{% set n = namespace(x=1) %}{% for i in range(1000) %}{% set n.x = [n.x, n.x] "
                  "%}{% endfor %}{{ n.x }}";
  for (int i = 0; i < 60; ++i) doubling += "{% set a = a ~ a %}";
  EXPECT_THAT(Rendered(doubling), HasSubstr("too l"));
  EXPECT_THAT(Rendered(nesting), HasSubstr("too"));
  EXPECT_THAT(Rendered("{% set n = namespace(x=1) %}{% set n.x = [n] %}{{ n }}"),
              HasSubstr("a namespace is kept inside"));
  EXPECT_THAT(Rendered("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"), HasSubstr("too deep"));
  EXPECT_THAT(Rendered("{{ " + std::string(5000, '(') + "1" + std::string(5000, ')') + " }}"),
              HasSubstr("too deep"));
  std::string blocks;
  for (int i = 0; i < 5000; ++i) blocks += "{% if true %}";
  EXPECT_THAT(Rendered(blocks), HasSubstr("too deep"));
  std::string sum = "{{ 1";
  for (int i = 0; i < 5000; ++i) sum += "+1";
  EXPECT_THAT(Rendered(sum + " }}"), HasSubstr("too"));
}

}  // namespace
}  // namespace ebb::train
