#include "train/text/records/text_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.h"
#include "testing/scratch_directory.h"
#include "testing/source_tree.h"
#include "train/text/records/numpy_permutation.h"
#include "train/text/records/text_dataset_for_test.h"

namespace ebb::train {
namespace {

using platform::Path;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tokenizer Llama() {
  return Tokenizer::Load(SourceTree() + "/tests/golden/tokenizers/llama3.json").value();
}

class TextDataTest : public ::testing::Test {
 protected:
  Path Write(const std::string& name, const std::string& content) const {
    EXPECT_TRUE(platform::WriteFileAtomically(folder_ / name, content));
    return folder_ / name;
  }
  TextDataOptions Options(const Path& file) const {
    TextDataOptions options;
    options.files = {file};
    options.validation_share = 0;
    return options;
  }
  std::string Failure(const TextDataOptions& options) const {
    const auto data = LoadTextData(options, tokenizer_);
    return data ? "" : data.error().Message();
  }
  std::string TextOf(const TextDataset& data, std::size_t row) const {
    return *tokenizer_.Decode(data.store().ids(data.ExamplesOf(row)[0]), SpecialTokens::kIncluded);
  }

  const Path folder_ = ScratchDirectory();
  const Tokenizer tokenizer_ = Llama();
};

constexpr const char* kThree =
    "{\"prompt\": \"one\", \"response\": \"eins\", \"helpfulness\": 4}\n\n"
    "{\"prompt\": \"two, \\\"and\\\"\\nmore\", \"response\": \"zwei\", \"helpfulness\": 2}\r\n"
    "{\"response\": \"drei\", \"prompt\": \"three\", \"helpfulness\": 3}";
constexpr const char* kThreeAsCsv =
    "\xEF\xBB\xBFprompt,response,helpfulness\r\none,eins,4\r\n\"two, "
    "\"\"and\"\"\nmore\",zwei,2\n\nthree,drei,3\n";

TEST_F(TextDataTest, ReadsTheSameRecordsFromJsonLinesAndCsvPlainAndPacked) {
  const auto jsonl = LoadTextData(Options(Write("a.jsonl", kThree)), tokenizer_);
  ASSERT_TRUE(jsonl) << jsonl.error().Message();
  EXPECT_EQ(jsonl->training.rows(), 3U);
  EXPECT_EQ(jsonl->validation.rows(), 0U);
  std::set<std::string> texts;
  for (std::size_t row = 0; row < 3; ++row) texts.insert(TextOf(jsonl->training, row));
  EXPECT_TRUE(texts.contains(
      "<|begin_of_text|>### Instruction:\ntwo, \"and\"\nmore\n\n### Response:\nzwei"));
  for (const Path& file :
       {Write("a.csv", kThreeAsCsv), Write("b.csv.gz", *platform::Compress(kThreeAsCsv)),
        Write("b.jsonl.gz", *platform::Compress(kThree))}) {
    const auto same = LoadTextData(Options(file), tokenizer_);
    ASSERT_TRUE(same) << same.error().Message();
    EXPECT_EQ(SeenRows(same->training), SeenRows(jsonl->training)) << file;
  }
}

TEST_F(TextDataTest, TakesRecordsByConditionsAndCount) {
  TextDataOptions options = Options(Write("a.jsonl", kThree));
  options.filters = {*RecordFilter::Parse("helpfulness>=3")};
  EXPECT_EQ(LoadTextData(options, tokenizer_)->training.rows(), 2U);
  EXPECT_EQ(LoadTextData(options, tokenizer_)->counts.filtered, 1U);
  options.files = {Write("a.csv", kThreeAsCsv)};
  EXPECT_EQ(LoadTextData(options, tokenizer_)->training.rows(), 2U);
  options.first_records = 2;
  EXPECT_EQ(LoadTextData(options, tokenizer_)->counts.records, 2U);
  EXPECT_EQ(LoadTextData(options, tokenizer_)->training.rows(), 1U);
  for (const char* condition :
       {"helpfulness<3", "helpfulness<=2", "helpfulness==2", " helpfulness = 2 "}) {
    options.filters = {*RecordFilter::Parse(condition)};
    EXPECT_EQ(LoadTextData(options, tokenizer_)->training.rows(), 1U) << condition;
  }
  for (const char* condition : {"helpfulness", ">=3", "helpfulness>=", "helpfulness>=many"})
    EXPECT_FALSE(RecordFilter::Parse(condition)) << condition;
}

TEST_F(TextDataTest, NamesTheFileAndLineOfWhatIsMalformed) {
  const auto failure = [&](const std::string& name, const std::string& content) {
    return Failure(Options(Write(name, content)));
  };
  EXPECT_THAT(failure("a.jsonl", "{\"prompt\":\"a\",\"response\":\"b\"}\n{\"prompt\":"),
              HasSubstr("a.jsonl:2: the line is not JSON"));
  EXPECT_THAT(failure("a.jsonl", "[1]"),
              HasSubstr("a.jsonl:1: the line is JSON, but not an object"));
  EXPECT_THAT(failure("a.jsonl", "{\"prompt\":\"\xff\",\"response\":\"b\"}"),
              HasSubstr("a.jsonl:1: the line is not UTF-8"));
  EXPECT_THAT(
      failure("a.jsonl", "\n{\"prompt\":\"a\",\"answer\":\"b\"}"),
      HasSubstr("a.jsonl:2: there is no field \"response\" (the record has answer, prompt)"));
  EXPECT_THAT(failure("a.jsonl", "{\"prompt\":1,\"response\":\"b\"}"),
              HasSubstr("a.jsonl:1: the field \"prompt\" is not text"));
  EXPECT_THAT(failure("a.csv", "prompt,response\n\"a\nb\",c\nd\n"),
              HasSubstr("a.csv:4: the record has 1 fields, the header 2"));
  EXPECT_THAT(failure("a.csv", "prompt,response\n\"a\nb"),
              HasSubstr("a.csv:2: a quoted field never ends"));
  EXPECT_THAT(failure("a.csv", ""), HasSubstr("no header"));
  EXPECT_THAT(failure("a.parquet", ""), HasSubstr("read_parquet('a.parquet')"));
  EXPECT_THAT(failure("a.txt", ""), HasSubstr("the name says no format"));
  EXPECT_THAT(failure("a.jsonl", ""), HasSubstr("no example is left"));
  EXPECT_THAT(Failure(Options(folder_ / "missing.jsonl")),
              HasSubstr("missing.jsonl: cannot be opened"));
  TextDataOptions small = Options(Write("a.jsonl", kThree));
  small.token_limit = 30;
  EXPECT_THAT(Failure(small), HasSubstr("more than 30 tokens"));
  for (const char* pattern : {"no field", "{", "{}", "a}b"}) {
    small.pattern = pattern;
    EXPECT_THAT(Failure(small), HasSubstr("pattern")) << pattern;
  }
}

TEST_F(TextDataTest, CountsTheLossWhereItIsAskedTo) {
  TextDataOptions options = Options(Write("a.jsonl", kThree));
  options.filters = {*RecordFilter::Parse("helpfulness=4")};
  const auto batch = [&](LossOn loss_on) {
    options.loss_on = loss_on;
    const std::uint32_t row = 0;
    return LoadTextData(options, tokenizer_)->training.Batch({&row, 1});
  };
  const std::size_t prompt = tokenizer_.Encode("### Instruction:\none\n\n### Response:\n")->size();
  const TextBatch text = batch(LossOn::kText), answer = batch(LossOn::kAnswer);
  EXPECT_EQ(text.ids, answer.ids);
  EXPECT_EQ(text.targets, text.columns - 1);
  EXPECT_EQ(text.loss_mask[0], 0);  // nothing predicts the first token
  EXPECT_EQ(answer.targets, answer.columns - prompt);
  for (std::size_t i = 0; i < answer.columns; ++i)
    EXPECT_EQ(answer.loss_mask[i], i >= prompt ? 1 : 0);
  options.pad_to_max = true;
  EXPECT_EQ(batch(LossOn::kText).targets, text.targets);
  EXPECT_EQ(batch(LossOn::kEverything).targets, options.max_tokens - 1);
  EXPECT_EQ(batch(LossOn::kEverything).tokens, text.columns);
}

TEST_F(TextDataTest, CutsOffTheEndAndLeavesOutWhatHasNothingToLearn) {
  TextDataOptions options = Options(Write("a.jsonl", kThree));
  options.max_tokens = 12;
  const auto text = LoadTextData(options, tokenizer_);
  EXPECT_EQ(text->counts.cut_off, 3U);
  for (std::uint32_t row = 0; row < 3; ++row) {
    const TextBatch batch = text->training.Batch({&row, 1});
    EXPECT_EQ(batch.columns, 12U);
    EXPECT_EQ(batch.ids[0], *tokenizer_.Find("<|begin_of_text|>"));
  }
  options.loss_on = LossOn::kAnswer;
  EXPECT_THAT(Failure(options),
              HasSubstr("3 records: 0 used whole, 3 left out because the first 12 tokens have none "
                        "to learn"));
  options.max_tokens = 2;
  EXPECT_THAT(Failure(options), HasSubstr("nothing to predict"));
}

// 200 records whose texts differ in length.
std::string ManyRecords() {
  std::string lines;
  Random random(5);
  for (int i = 0; i < 200; ++i)
    lines += "{\"text\": \"" + std::to_string(i) + std::string(random.Below(90), 'x') + "\"}\n";
  return lines;
}

TEST_F(TextDataTest, DividesAsNumpyPermutes) {
  // Expected: numpy.random.default_rng(42).permutation(5000)[:8], and the same for (2^64 - 1,
  // 100000).
  const auto first = [](std::vector<std::uint32_t> order) {
    order.resize(8);
    return order;
  };
  EXPECT_THAT(first(NumpyPermutation(42, 5000)),
              ElementsAre(1535, 1183, 3378, 3825, 643, 90, 2835, 3865));
  EXPECT_THAT(first(NumpyPermutation(~0ULL, 100'000)),
              ElementsAre(80760, 4054, 62896, 1800, 93115, 96751, 94972, 23084));
  EXPECT_THAT(NumpyPermutation(7, 3), ElementsAre(0, 2, 1));
  EXPECT_THAT(NumpyPermutation(7, 0), ElementsAre());

  TextDataOptions options = *TextDataPreset("text");
  options.files = {Write("many.jsonl", ManyRecords())};
  options.validation_share = 0.13;
  const auto data = LoadTextData(options, tokenizer_);
  EXPECT_EQ(data->validation.rows(), 26U);
  const auto order = NumpyPermutation(42, 200);
  for (std::size_t row = 0; row < 200; ++row) {
    const bool validates = row < 26;
    const TextDataset& part = validates ? data->validation : data->training;
    EXPECT_THAT(part.ExamplesOf(validates ? row : row - 26), ElementsAre(order[row]));
  }
}

TEST_F(TextDataTest, PadsToTheLongestRowOfABatch) {
  TextDataOptions options = *TextDataPreset("text");
  options.files = {Write("many.jsonl", ManyRecords())};
  const TextDataset data = LoadTextData(options, tokenizer_)->training;
  const std::vector<std::uint32_t> rows{3, 1, 4, 15, 9};
  const TextBatch batch = data.Batch(rows);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto ids = data.store().ids(data.ExamplesOf(rows[i])[0]);
    longest = std::max(longest, ids.size());
    for (std::size_t column = 0; column < batch.columns; ++column) {
      const std::size_t at = i * batch.columns + column;
      EXPECT_EQ(batch.attention_mask[at], column < ids.size() ? 1 : 0);
      EXPECT_EQ(batch.loss_mask[at], column > 0 && column < ids.size() ? 1 : 0);
      EXPECT_EQ(batch.ids[at], column < ids.size() ? ids[column] : 0);
    }
  }
  EXPECT_EQ(batch.columns, longest);
  EXPECT_TRUE(batch.starts.empty());
}

TEST_F(TextDataTest, PacksEveryExampleOnceAndKeepsThemApart) {
  TextDataOptions options = *TextDataPreset("text");
  options.files = {Write("many.jsonl", ManyRecords())};
  options.max_tokens = 64;
  options.packed = true;
  const auto data = LoadTextData(options, tokenizer_);
  const TextDataset& packed = data->training;
  EXPECT_EQ(packed.examples(), 160U);
  EXPECT_EQ(data->validation.rows(), 40U);
  // Best fit with the longest first needs at most 11/9 of the fewest rows, plus one (Johnson 1973).
  EXPECT_LE(packed.rows(), (packed.tokens() / 64 + 1) * 11 / 9 + 1);
  std::multiset<std::uint32_t> seen;
  for (std::uint32_t row = 0; row < packed.rows(); ++row) {
    const TextBatch batch = packed.Batch({&row, 1});
    ASSERT_LE(batch.columns, 64U);
    std::size_t at = 0, targets = 0;
    for (const std::uint32_t example : packed.ExamplesOf(row)) {
      seen.insert(example);
      const std::size_t begin = at;
      for (const TokenId id : packed.store().ids(example)) {
        EXPECT_EQ(batch.ids[at], id);
        EXPECT_EQ(batch.starts[at], static_cast<std::int64_t>(begin));
        EXPECT_EQ(batch.loss_mask[at], at > begin ? 1 : 0);
        targets += at > begin ? 1 : 0;
        ++at;
      }
    }
    EXPECT_EQ(batch.targets, targets);
  }
  EXPECT_EQ(seen.size(), 160U);
  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 160U);
  EXPECT_NE(SeenRows(packed), SeenRows(data->validation));
}

TEST_F(TextDataTest, BadRecordsAreNamedAndCountedAndSkippedOnlyIfAsked) {
  const std::string good = "{\"prompt\": \"one\", \"response\": \"eins\"}\n";
  TextDataOptions options = Options(
      Write("bad.jsonl", good + "{\"prompt\": \"caf\xE9\"}\n" + good + "{\"prompt\": 1}\n" + good +
                             std::string(40, '[') + std::string(40, ']') + "\n{broken\n"));
  EXPECT_THAT(
      Failure(options),
      testing::AllOf(HasSubstr("bad.jsonl:2: the line is not UTF-8; 3 more records are bad"),
                     HasSubstr("iconv")));
  options.skip_bad_records = true;
  const auto data = LoadTextData(options, tokenizer_);
  ASSERT_TRUE(data) << data.error().Message();
  EXPECT_EQ(data->training.rows(), 3U);
  EXPECT_EQ(data->counts.bad, 4U);
  EXPECT_THAT(data->counts.Sentence(), HasSubstr("7 records: 3 used whole, 4 skipped"));
  EXPECT_THAT(Failure(Options(Write("deep.jsonl", std::string(40, '[') + std::string(40, ']')))),
              HasSubstr("more than 32 levels"));
}

TEST_F(TextDataTest, APromptAndItsResponseTeachToStopIfTheTokenizerNamesAnEnd) {
  TextDataOptions options = *TextDataPreset("prompt-response");
  options.files = {Write("a.jsonl", kThree)};
  options.validation_share = 0;
  const auto without = LoadTextData(options, tokenizer_);
  ASSERT_TRUE(without) << without.error().Message();
  EXPECT_THAT(without->counts.Warnings(), ElementsAre(HasSubstr("where a text ends")));
  const std::string json =
      *platform::ReadFile(SourceTree() + "/tests/golden/tokenizers/llama3.json");
  const Tokenizer ending =
      *Tokenizer::Parse(json, R"({"eos_token": "<|end_of_text|>"})", "tokenizer.json");
  const auto with = LoadTextData(options, ending);
  ASSERT_TRUE(with) << with.error().Message();
  const auto ids = with->training.store().ids(0);
  EXPECT_EQ(ids.back(), *ending.Find("<|end_of_text|>"));
  EXPECT_TRUE(with->training.store().is_target(0, ids.size() - 1));
  EXPECT_THAT(with->counts.Warnings(), testing::IsEmpty());
}

TEST_F(TextDataTest, CountsWhatIsLeftOutAndCutOffAndWarnsWhenItIsMuch) {
  TextCounts counts;
  counts.records = 100;
  counts.filtered = 20;
  counts.max_tokens = 512;
  EXPECT_EQ(counts.Sentence(), "100 records: 80 used whole, 20 left out by filters");
  EXPECT_THAT(counts.Warnings(), testing::IsEmpty());
  counts.cut_off = 4;
  counts.lost_by_cut = counts.without_loss = 1;
  EXPECT_EQ(counts.Sentence(),
            "100 records: 76 used whole, 3 cut off at 512 tokens, 1 left out because the first 512 "
            "tokens have none to learn, 20 left out by filters");
  EXPECT_THAT(counts.Warnings(), testing::IsEmpty()) << "a twentieth of 80";
  counts.without_loss = 2;
  EXPECT_THAT(counts.Warnings(), ElementsAre(HasSubstr("many records are not learned whole")));
  EXPECT_THAT(counts.Sentence(), HasSubstr("1 left out because they have no token to learn"));
  counts = {};
  counts.records = 1;
  counts.end_is_unknown = true;
  EXPECT_THAT(counts.Warnings(), ElementsAre(HasSubstr("where a text ends")));
}

}  // namespace
}  // namespace ebb::train
