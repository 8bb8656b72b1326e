// The evaluator probe: tasks that are built from a text, published tasks, the hidden layer.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "evaluators/probe/probe_evaluator.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

/// 700 sentences of 3 to 30 words with a period; word w<k> is in one of k + 1 sentences.
std::vector<std::string> text() {
  std::vector<std::string> lines;
  for (int i = 0; i < 700; ++i) {
    std::string line;
    for (int k = 0; k < 2 + i % 28; ++k) {
      line += "w" + std::string(1, static_cast<char>('a' + (i * (k + 1)) % (k + 3))) +
              std::string(1, static_cast<char>('a' + k % 26)) + " ";
    }
    lines.push_back(line + "x" + std::to_string(i) + " .");
  }
  return lines;
}

std::map<std::pair<int64_t, int64_t>, int64_t> counts_of(const ProbingTask& task) {
  std::map<std::pair<int64_t, int64_t>, int64_t> counts;  // by part and class
  for (size_t i = 0; i < task.texts.size(); ++i) ++counts[{task.parts[i], task.classes[i]}];
  return counts;
}

int64_t words_in(const std::string& text) {
  return std::ssize(split_white_space(text));
}

}  // namespace

TEST_CASE("probe: classes of length have equal numbers of sentences in each part", "[probe]") {
  const ProbeBuilding building{.train = 60, .valid = 14, .test = 12, .seed = 3};
  const ProbingTask task = built_task(ProbeKind::kLength, text(), building);
  CHECK(task.class_count == 6);
  const auto counts = counts_of(task);
  for (int64_t label = 0; label < 6; ++label) {
    CHECK(counts.at({0, label}) == 10);
    CHECK(counts.at({1, label}) == (label < 2 ? 3 : 2));
    CHECK(counts.at({2, label}) == 2);
  }
  constexpr std::array<std::pair<int64_t, int64_t>, 6> kBins = {
      {{5, 8}, {9, 12}, {13, 16}, {17, 20}, {21, 25}, {26, 28}}};
  for (size_t i = 0; i < task.texts.size(); ++i) {
    const auto [low, high] = kBins[static_cast<size_t>(task.classes[i])];
    CHECK(words_in(task.texts[i]) >= low);
    CHECK(words_in(task.texts[i]) <= high);
  }
  CHECK(std::set<std::string>(task.texts.begin(), task.texts.end()).size() == task.texts.size());
  // The same task for a seed, another one for another.
  CHECK(built_task(ProbeKind::kLength, text(), building).texts == task.texts);
  ProbeBuilding other = building;
  other.seed = 4;
  CHECK(built_task(ProbeKind::kLength, text(), other).texts != task.texts);
}

TEST_CASE("probe: a class without enough sentences has fewer of each part", "[probe]") {
  std::vector<std::string> lines = text();
  const auto is_short = [](const std::string& line) { return words_in(line) <= 8; };
  lines.erase(std::remove_if(lines.begin(), lines.end(), is_short), lines.end());
  for (int i = 0; i < 20; ++i) lines.push_back("a b c d e f s" + std::to_string(i));
  const ProbeBuilding building{.train = 240, .valid = 60, .test = 60, .seed = 3};
  const auto counts = counts_of(built_task(ProbeKind::kLength, lines, building));
  CHECK(counts.at({0, 1}) == 40);
  CHECK(counts.at({0, 0}) == 14);  // 20 of 60
  CHECK(counts.at({1, 0}) == 3);
  CHECK(counts.at({2, 0}) == 3);
  lines.resize(lines.size() - 18);
  CHECK_THROWS_WITH(built_task(ProbeKind::kLength, lines, building),
                    Contains("2 sentences of class 0"));
}

TEST_CASE("probe: word content asks for the one word of given ranks that a sentence has",
          "[probe]") {
  // Ranks: "the" 40, "and" 30, then a 12, b 11, c 10, d 2; c is in four sentences beside b.
  std::vector<std::string> lines;
  int64_t next = 0;
  const auto add = [&](const std::string& words, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      std::string number;  // no digits, which do not begin a word
      for (int64_t k = next++; number.empty() || k > 0; k /= 10) {
        number += static_cast<char>('0' + k % 10);
      }
      lines.push_back("the the and " + words + " " + number + " .");
    }
  };
  add("apple", 12);
  add("berry", 7);
  add("berry cherry", 4);
  add("cherry", 6);
  add("date", 2);
  const ProbeBuilding building{
      .train = 24, .valid = 6, .test = 6, .words = 4, .first_rank = 3, .seed = 1};
  const ProbingTask task = built_task(ProbeKind::kWordContent, lines, building);
  CHECK(task.class_count == 3);  // "date" has two sentences
  std::map<int64_t, int64_t> sizes;
  constexpr std::array kWords = {"apple", "berry", "cherry"};
  for (size_t i = 0; i < task.texts.size(); ++i) {
    CHECK_THAT(task.texts[i], Contains(kWords[static_cast<size_t>(task.classes[i])]));
    CHECK((task.classes[i] != 1 || task.texts[i].find("cherry") == std::string::npos));
    ++sizes[task.classes[i]];
  }
  // 12, 7 and 6 sentences have one of the words alone; of the first class 24 / 4 + 2 + 2 are
  // expected.
  CHECK(sizes == std::map<int64_t, int64_t>{{0, 10}, {1, 7}, {2, 6}});
  ProbeBuilding rare = building;
  rare.first_rank = 100;
  CHECK_THROWS_WITH(built_task(ProbeKind::kWordContent, lines, rare), Contains("first_rank"));
}

TEST_CASE("probe: bigram shift exchanges two neighboring words of half of the sentences",
          "[probe]") {
  const ProbeBuilding building{.train = 80, .valid = 20, .test = 20, .seed = 5};
  const std::vector<std::string> lines = text();
  const std::set<std::string> originals(lines.begin(), lines.end());
  const ProbingTask task = built_task(ProbeKind::kBigramShift, lines, building);
  const auto counts = counts_of(task);
  for (int64_t label = 0; label < 2; ++label) {
    CHECK(counts.at({0, label}) == 40);
    CHECK(counts.at({2, label}) == 10);
  }
  std::set<size_t> positions;
  for (size_t i = 0; i < task.texts.size(); ++i) {
    const std::string& sentence = task.texts[i];
    CHECK(originals.contains(sentence) == (task.classes[i] == 0));
    if (task.classes[i] == 0) continue;
    std::vector<std::string> words = split(sentence, ' ');
    bool is_found = false;
    for (size_t k = 0; k + 1 < words.size() && !is_found; ++k) {
      std::swap(words[k], words[k + 1]);
      is_found = originals.contains(join(words, " "));
      if (is_found) positions.insert(k);
      CHECK((!is_found || words[k] != words[k + 1]));
      if (!is_found) std::swap(words[k], words[k + 1]);
    }
    CHECK(is_found);
    CHECK_THAT(sentence, Catch::Matchers::EndsWith("."));
  }
  CHECK(positions.size() > 5);
  // Neither equal words nor words and punctuation are exchanged.
  CHECK_THROWS_WITH(
      built_task(ProbeKind::kBigramShift, {"no no no no no .", "1 , 2 , 3 , a"}, building),
      Contains("0 sentences"));
}

namespace {

/// Reads a text as [number of words, 1 if the first word is "yes"].
class Properties : public Model, public SentenceEmbedder {
 public:
  int64_t embedding_size() const override { return 2; }
  std::string embedding_signature() const override { return "properties"; }
  at::Tensor embed(const Tokens& sentences) override {
    return sentences.ids.narrow(1, 0, 2).to(at::kFloat);
  }
};

std::map<std::string, Score> scores_of(SplitRecords records, const ProbeOptions& options) {
  Inputs inputs;
  inputs.add("encoder",
             LoadedModel{.component = "properties",
                         .model = std::make_shared<Properties>(),
                         .tokenizer = testing::fixed_tokenizer({}, [](std::string_view text) {
                           return TokenIds{static_cast<int32_t>(split_white_space(text).size()),
                                           text.starts_with("yes") ? 1 : 0};
                         })});
  inputs.add("records", std::move(records));
  std::map<std::string, Score> scores;
  for (const Score& score : ProbeEvaluator(options).evaluate(inputs)) scores[score.id] = score;
  return scores;
}

Records sentences(const std::vector<std::string>& texts) {
  Records records{.fields = {"text"}};
  for (const std::string& each : texts) records.rows.push_back({each});
  return records;
}

}  // namespace

TEST_CASE("probe: a property of the vectors is found, an absent one is not", "[probe]") {
  ProbeOptions options;
  options.kind = ProbeKind::kLength;
  options.building = {.train = 240, .valid = 60, .test = 60};
  options.training.lr = 0.05;
  const auto length = scores_of({{"train", sentences(text())}}, options);
  CHECK(length.at("accuracy").value > 90);
  CHECK(length.at("majority").value == Approx(100.0 / 6));
  CHECK(length.at("accuracy").n == 60);
  CHECK(length.at("accuracy").signature ==
        "probe|model:properties|weights:|properties|kind:length|sentences:240,60,60|classes:6|"
        "hidden:50|l2:1e-05, 1e-04, 0.001, 0.01|adam,lr:0.05,batch:64,seed:1111,epoch_size:4,"
        "tenacity:5,max_passes:200|version:1|accuracy");
  options.kind = ProbeKind::kBigramShift;
  const auto shift = scores_of({{"train", sentences(text())}}, options);
  CHECK(shift.at("accuracy").value < 70);
}

TEST_CASE("probe: texts of one split or of all", "[probe]") {
  const std::vector<std::string> lines = text();
  const SplitRecords halves = {{"base", sentences({lines.begin(), lines.begin() + 350})},
                               {"train", sentences({lines.begin() + 350, lines.end()})}};
  ProbeOptions options;
  options.kind = ProbeKind::kLength;
  options.building = {.train = 240, .valid = 60, .test = 60};
  const auto sizes = [&] {
    const std::string signature = scores_of(halves, options).at("accuracy").signature;
    return signature.substr(signature.find("|sentences:"), 22);
  };
  CHECK(sizes() == "|sentences:240,60,60|c");
  options.split = "base";
  CHECK(sizes() != "|sentences:240,60,60|c");
  options.split = "other";
  CHECK_THROWS_WITH(sizes(), Contains("splits: base, train"));
}

TEST_CASE("probe: published records have labels and three splits", "[probe]") {
  const auto records = [](int count, int wrong) {
    Records part{.fields = {"label", "text"}};
    for (int i = 0; i < count; ++i) {
      const bool is_yes = i % 2 == 0;
      part.rows.push_back({std::string((is_yes ? i >= wrong : i < wrong) ? "PRES" : "PAST"),
                           std::string(is_yes ? "yes it is" : "no it was")});
    }
    return part;
  };
  ProbeOptions options;
  options.hidden = 0;
  options.training.lr = 0.1;
  const auto scores = scores_of(
      {{"train", records(40, 0)}, {"valid", records(10, 0)}, {"test", records(10, 4)}}, options);
  CHECK(scores.at("accuracy").value == Approx(60));
  CHECK(scores.at("majority").value == Approx(50));
  CHECK_THROWS_WITH(scores_of({{"train", records(40, 0)}}, options), Contains("split 'valid'"));
  CHECK_THROWS_WITH(
      scores_of(
          {{"train", sentences(text())}, {"valid", sentences(text())}, {"test", sentences(text())}},
          options),
      Contains("label"));
}

namespace {

struct Rows {
  at::Tensor features = at::empty({40, 3}, at::kDouble), classes = at::empty({40}, at::kLong);
  Rows() {
    for (int64_t i = 0; i < 40; ++i) {
      for (int64_t j = 0; j < 3; ++j) {
        features[i][j] = std::sin(0.7 * static_cast<double>(i) + 1.3 * static_cast<double>(j) + 1);
      }
      // Not linear: whether two features have the same sign.
      classes[i] = (features[i][0] * features[i][1]).item<double>() > 0 ? 1 : 0;
    }
  }
};

}  // namespace

TEST_CASE("probe: the classifier with a hidden layer minimizes the penalized cross-entropy",
          "[probe]") {
  // An update of all rows with Adam changes nothing where the gradient is 0: at convergence,
  // finite differences of mean cross-entropy + l2 / 2 |w|^2 vanish.
  const Rows rows;
  const at::Tensor all = at::ones({40}, at::kBool);
  const double l2 = 0.02;
  const ProbeTraining training{
      .batch = 40, .epoch_size = 4000, .tenacity = 0, .max_passes = 3999, .lr = 0.01, .hidden = 5};
  const auto fitted =
      train_probes(rows.features, rows.classes, 2, {{l2, all, all}, {0.3, all, all}}, training);
  FittedProbe probe = fitted[0];
  const auto loss = [&] {
    const at::Tensor units =
        at::sigmoid(at::linear(rows.features, probe.hidden_weight, probe.hidden_bias));
    const at::Tensor scores = at::linear(units, probe.weight, probe.bias);
    double sum = at::nll_loss(at::log_softmax(scores, 1), rows.classes).item<double>();
    for (const at::Tensor& w : {probe.hidden_weight, probe.hidden_bias, probe.weight, probe.bias}) {
      sum += l2 / 2 * w.square().sum().item<double>();
    }
    return sum;
  };
  CHECK(probe.hidden_weight.sizes() == at::IntArrayRef{5, 3});
  CHECK(probe.weight.sizes() == at::IntArrayRef{2, 5});
  for (const at::Tensor& w : {probe.hidden_weight, probe.hidden_bias, probe.weight, probe.bias}) {
    at::Tensor flat = w.view({-1});
    for (int64_t k = 0; k < flat.numel(); ++k) {
      const double value = flat[k].item<double>();
      flat[k] = value + 1e-5;
      const double above = loss();
      flat[k] = value - 1e-5;
      const double below = loss();
      flat[k] = value;
      CHECK((above - below) / 2e-5 == Approx(0).margin(2e-4));
    }
  }
  CHECK(probe.hidden_weight.abs().max().item<double>() > 0.1);
  // With less decay it learns what a linear classifier cannot.
  ProbeTraining strong = training;
  strong.hidden = 8;
  strong.lr = 0.05;
  const auto accuracy = [&](const ProbeTraining& with) {
    const auto one = train_probes(rows.features, rows.classes, 2, {{0, all, all}}, with);
    const at::Tensor right = predicted_classes(one[0], rows.features).eq(rows.classes);
    CHECK(right.to(at::kDouble).mean().item<double>() == Approx(one[0].dev_accuracy));
    return one[0].dev_accuracy;
  };
  CHECK(accuracy(strong) > 0.97);
  strong.hidden = 0;
  CHECK(accuracy(strong) < 0.9);
}
