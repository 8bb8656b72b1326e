// Similarity of texts and their sources.
#include <ATen/ATen.h>

#include <cmath>

#include "evaluators/idf_similarity/idf_similarity_evaluator.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/text/words.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

using Lines = std::vector<std::string>;

struct Vectors : Model, WordVectors {
  explicit Vectors(at::Tensor vectors) : table(std::move(vectors)) {}
  at::Tensor vectors() const override { return table; }
  at::Tensor table;
};

struct Weights : Model, TokenWeights {
  explicit Weights(at::Tensor weights) : table(std::move(weights)) {}
  at::Tensor weights() const override { return table; }
  at::Tensor table;
};

std::shared_ptr<const Words> words_of(const Lines& words, bool lowercase = false) {
  return std::make_shared<const Words>(words, WordEncoding{.lowercase = lowercase});
}

/// Rows for the special ids, then those of the words.
at::Tensor table_of(const std::vector<std::vector<double>>& rows) {
  std::vector<at::Tensor> all(4, at::zeros({std::ssize(rows.front())}));
  for (const auto& row : rows) all.push_back(at::tensor(row, at::kFloat));
  return at::stack(all);
}

/// Vectors of words in an order of their own. There is none for "!", and "we" has a zero row.
LoadedModel vectors() {
  return {.component = "table",
          .model = std::make_shared<Vectors>(table_of({{.05, 0, .1},
                                                       {.5, -.1, .4},
                                                       {0, .1, .1},
                                                       {-.3, .7, -.6},
                                                       {.1, .2, 0},
                                                       {-.2, .8, .5},
                                                       {.9, .1, .3},
                                                       {0, 0, 0},
                                                       {0, 0, 1}})),
          .identity = "aaaaaaaa",
          .tokenizer = words_of({".", "service", "is", "bad", "the", "great", "food", "we", "mr."},
                                /*lowercase=*/true)};
}

/// idf in the sentences "the food is great .", "the food is bad .", "great service !", "we love the
/// place .", and that of "mr.".
LoadedModel idf() {
  const double in_three = std::log(4.0 / 3), in_one = std::log(4), in_two = std::log(2);
  const std::vector<double> weights = {-1,     -1,     -1,       -1,     in_three, in_two,
                                       in_two, in_two, in_three, in_one, in_one,   in_one,
                                       in_one, in_one, in_one,   in_two};
  return {.component = "weights",
          .model = std::make_shared<Weights>(at::tensor(weights, at::kDouble)),
          .identity = "bbbbbbbb",
          .tokenizer = words_of({"the", "food", "is", "great", ".", "bad", "service", "!", "we",
                                 "love", "place", "mr."})};
}

/// Pairs of texts and sources as the input `outputs`, with styles if there are any.
struct Pairs {
  TemporaryFolder folder;
  Inputs inputs;

  Pairs(const Lines& outputs, const Lines& sources, const std::vector<int32_t>& styles = {},
        LoadedModel given = vectors()) {
    Lines all = outputs;
    all.insert(all.end(), sources.begin(), sources.end());
    const auto tokenizer = std::make_shared<const Words>(Words::count(all, {}));
    std::vector<ColumnDecl> columns = {{.name = "text", .vocabulary = tokenizer->vocabulary()},
                                       {.name = "source", .vocabulary = tokenizer->vocabulary()},
                                       {.name = "style", .kind = ColumnKind::kLabel, .classes = 2}};
    if (styles.empty()) columns.pop_back();
    DatasetWriter writer(folder / "dataset", columns);
    for (size_t i = 0; i < outputs.size(); ++i) {
      writer.add_text(0, tokenizer->encode(outputs[i]));
      writer.add_text(1, tokenizer->encode(sources[i]));
      if (!styles.empty()) writer.add_label(2, styles[i]);
      writer.end_row();
    }
    writer.finish();
    inputs.add("outputs", Dataset(folder / "dataset"), false, tokenizer);
    inputs.add("vectors", std::move(given));
    inputs.add("idf", idf());
  }
  std::vector<Score> scores() const { return IdfSimilarityEvaluator({}).evaluate(inputs); }
};

const Score& find(const std::vector<Score>& scores, const std::string& id) {
  const Score* found = find_score(scores, id);
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("idf similarity: sums of vectors weighted by idf", "[evaluators]") {
  const LoadedModel of_vectors = vectors(), of_idf = idf();
  WeightedSums sums(dynamic_cast<Vectors&>(*of_vectors.model).table, *of_vectors.tokenizer,
                    dynamic_cast<Weights&>(*of_idf.model).table, *of_idf.tokenizer);
  const auto great = sums.sum("the food is great .");
  const std::vector<double> expected = {0.52835534, 0.75068360, 0.65260067};
  for (size_t k = 0; k < 3; ++k) CHECK(great.vector[k] == Approx(expected[k]).margin(2e-8));
  CHECK(great.words == 5);
  CHECK(great.skipped == 0);
  // Repeated words count as often as they occur; "we" has no vector, "love" neither.
  CHECK(sums.sum("bad bad").vector[1] == Approx(2 * 0.7 * std::log(4.0)));
  CHECK(sums.sum("we love !").skipped == 3);
  // Words with a period; "great" is only a part of "great.".
  CHECK(sums.sum("mr. bad").skipped == 0);
  CHECK(sums.sum("bad mr.").vector[2] == Approx(-0.6 * std::log(4.0) + std::log(2.0)));
  CHECK(sums.sum("great. great-great").skipped == 2);
  CHECK(sums.sum("").words == 0);
}

TEST_CASE("idf similarity: words of a file of vectors are found as they are written",
          "[evaluators]") {
  const Lines words = {"cannot", "don't", "50%", "$5", "<unk>", "can", "not", "the"};
  const auto of_file = std::make_shared<const Words>(words, WordEncoding{.whole_words = true});
  const auto of_text =
      std::make_shared<const Words>(words, WordEncoding{.tokenize = WordTokens::kWhitespace});
  at::Tensor idf = at::ones({12}, at::kDouble);
  idf.slice(0, 0, 4).fill_(-1);
  idf[11] = 0;  // every sentence contains "the"
  WeightedSums sums(at::ones({12, 2}), *of_file, idf, *of_text);
  const auto found = sums.sum("cannot don't 50% $5 the");
  CHECK(found.words == 5);
  CHECK(found.skipped == 0);
  CHECK(found.vector == std::vector<double>{4, 4});
  CHECK(sums.sum("unknown the").skipped == 1);
  CHECK(sums.sum("<unk>").skipped == 0);
}

TEST_CASE("idf similarity: cosines of pairs, and pairs without a vector", "[evaluators]") {
  const std::string source = "the food is great .";
  const auto similarity = [&](const std::string& output) {
    return find(Pairs({output}, {source}).scores(), "similarity").value;
  };
  CHECK(similarity("the food is bad .") == Approx(0.45298508).margin(2e-8));
  CHECK(similarity("great service !") == Approx(0.93189493).margin(2e-8));
  CHECK(similarity(source) == Approx(1));
  CHECK(similarity("") == 0);
  CHECK(similarity("we love") == 0);
}

TEST_CASE("idf similarity: all scores", "[evaluators]") {
  const std::string source = "the food is great .";
  const Pairs pairs({"the food is bad .", "great service !", "", source},
                    {source, source, source, source}, {0, 1, 1, 0});
  const auto scores = pairs.scores();
  REQUIRE(scores.size() == 5);
  const Score& mean = scores[0];
  CHECK(mean.id == "similarity");
  CHECK(mean.value == Approx((0.45298508 + 0.93189493 + 0 + 1) / 4).margin(1e-8));
  CHECK(mean.n == 4);
  CHECK(mean.interval);
  CHECK(mean.direction == Direction::kHigher);
  CHECK(mean.signature ==
        "idf_similarity|vectors:table|weights:aaaaaaaa|dimensions:3|idf:bbbbbbbb|compared:decoded|"
        "n_sentences:4|similarity|version:2");
  CHECK(find(scores, "similarity_0").value == Approx((0.45298508 + 1) / 2).margin(1e-8));
  CHECK(find(scores, "similarity_1").value == Approx(0.93189493 / 2).margin(1e-8));
  CHECK(find(scores, "similarity_1").n == 2);
  CHECK(find(scores, "oov").value == Approx(1.0 / 33));  // "!" among 13 + 20 words
  CHECK(find(scores, "zero").value == 0.25);
  CHECK(Pairs({source}, {source}).scores().size() == 3);  // without styles
}

TEST_CASE("idf similarity: only GloVe of 300 dimensions is comparable with the paper",
          "[evaluators]") {
  const auto mean = [](int64_t width, bool published, const std::string& source) {
    LoadedModel given = vectors();
    given.model = std::make_shared<Vectors>(at::ones({13, width}));
    given.published = published;
    given.source = source;
    return Pairs({"bad"}, {"great"}, {}, given).scores().front();
  };
  const Score paper = mean(300, true, "glove.6B.300d.txt:0123abcd");
  CHECK(paper.title == "Sim");
  CHECK(paper.comparable);
  CHECK_THAT(paper.signature, Contains("|file:glove.6B.300d.txt:0123abcd|"));
  for (const Score& local : {mean(100, true, "glove.6B.100d.txt:0123abcd"),
                             mean(300, true, "word2vec.bin:0123abcd"), mean(300, false, "")}) {
    CHECK(local.title == "Sim-local");
    CHECK_FALSE(local.comparable);
  }
}
