// What tells runs of one row apart, and what a name on the command line means.
#include "framework/core/base/error.h"
#include "framework/pipeline/runs/differences.h"
#include "framework/pipeline/runs/run_name.h"
#include "tests/catch.h"
#include "tests/framework/pipeline/runs/store.h"

using namespace lvtext;
using Json = nlohmann::ordered_json;

namespace {

Json training(int size, const std::string& stop, int seed) {
  return {{"model", {{"latent", {{"size", size}}}, {"embedding", 8}}},
          {"train", {{"stop", stop}, {"seed", seed}}}};
}

}  // namespace

TEST_CASE("differences: options that differ among the runs of a row, except for the seed",
          "[runs]") {
  const TemporaryFolder runs;
  write_node(runs.path, {"p.a.cpu.s1", "00000001", "train", "vae", training(4, "30u", 1)},
             Json::object());
  write_node(runs.path, {"p.a.cpu.s1", "00000002", "train", "vae", training(8, "30u", 1)},
             Json::object());
  write_node(runs.path, {"p.a-2.cpu.s2", "00000003", "train", "vae", training(8, "60u", 2)},
             Json::object());
  write_node(runs.path, {"p.a.smoke.s1", "00000004", "train", "vae", training(99, "1u", 1)},
             Json::object());
  const auto differ = differences_among(find_runs(runs.path));
  REQUIRE(differ.size() == 4);  // by name: p.a-2, p.a, p.a, p.a.smoke
  CHECK(differ[0] == RunDifferences{{"latent.size", "8"}, {"train.stop", "60u"}});
  CHECK(differ[1] == RunDifferences{{"latent.size", "4"}, {"train.stop", "30u"}});
  CHECK(differ[2] == RunDifferences{{"latent.size", "8"}, {"train.stop", "30u"}});
  CHECK(differ[3].empty());
}

TEST_CASE("differences: inputs are followed to the options that differ", "[runs]") {
  const TemporaryFolder runs;
  for (const auto& [hash, vocabulary] : {std::pair{"1", 100}, std::pair{"2", 300}}) {
    const std::string n = hash;
    write_node(
        runs.path,
        {"p.data-tokenizer.cpu.s0", "1000000" + n, "fit", "unigram", {{"vocab", vocabulary}}},
        Json::object());
    write_node(runs.path,
               {"p.data-pack-train.cpu.s0",
                "2000000" + n,
                "pack",
                "text",
                {{"split", "train"}},
                {{"tokenizer", "p.data-tokenizer.cpu.s0-1000000" + n}}},
               Json::object());
    write_node(runs.path,
               {"p.a.cpu.s1",
                "3000000" + n,
                "train",
                "vae",
                training(4, "30u", 1),
                {{"train", "p.data-pack-train.cpu.s0-2000000" + n},
                 {"valid", "p.gone.cpu.s0-4000000" + n}}},
               Json::object());
  }
  const auto all = find_runs(runs.path);
  std::vector<const FoundRun*> models;
  for (const FoundRun& run : all) {
    if (run.kind == "train") models.push_back(&run);
  }
  const auto differ = differences(models, all);
  REQUIRE(differ.size() == 2);
  CHECK(differ[0] == RunDifferences{{"data-tokenizer.vocab", "100"}, {"inputs.valid", "40000001"}});
  CHECK(differences_text(differ[1]) == "data-tokenizer.vocab=300 inputs.valid=40000002");
}

TEST_CASE("differences: the options that distinguish the runs are first", "[runs]") {
  const TemporaryFolder runs;
  const auto write = [&](const std::string& hash, int size, const std::string& stop, int width) {
    Json options = training(size, stop, 1);
    options["model"]["embedding"] = width;
    write_node(runs.path, {"p.a.cpu.s1", hash, "train", "vae", options}, Json::object());
  };
  // `embedding` has two values, as `train.stop`, but only the latter separates the first two runs.
  write("00000001", 4, "30u", 8);
  write("00000002", 4, "60u", 8);
  write("00000003", 6, "30u", 8);
  write("00000004", 8, "30u", 16);
  const auto differ = differences_among(find_runs(runs.path));
  REQUIRE(differ.size() == 4);
  CHECK(differ[0] ==
        RunDifferences{{"latent.size", "4"}, {"train.stop", "30u"}, {"embedding", "8"}});
  CHECK(differ[3] ==
        RunDifferences{{"latent.size", "8"}, {"train.stop", "30u"}, {"embedding", "16"}});
}

TEST_CASE("differences: texts differ by their names, which replace the hashes of files", "[runs]") {
  const TemporaryFolder runs;
  const auto write = [&](const std::string& n, const std::string& text, const std::string& sum) {
    const Json data = {{"data", {text}}};
    const Json files = {{"files", {{{"role", "train"}, {"sha256", sum}}}}};
    write_node(runs.path,
               {"p.data-source.cpu.s0", "1000000" + n, "source", "own_text", files, {}, data},
               Json::object());
    write_node(runs.path,
               {"p.a.cpu.s1",
                "3000000" + n,
                "train",
                "vae",
                training(4, "30u", 1),
                {{"train", "p.data-source.cpu.s0-1000000" + n}},
                data},
               Json::object());
  };
  write("1", "mine.txt", "aa");
  write("2", "theirs.txt", "bb");
  auto all = find_runs(runs.path);
  auto differ = differences_among(all);
  CHECK(differ[0] == RunDifferences{{"data", "mine.txt"}});
  CHECK(differ[1] == RunDifferences{{"data", "theirs.txt"}});
  // An edited text has the same name: its content differs.
  write("3", "mine.txt", "cc");
  all = find_runs(runs.path);
  differ = differences_among(all);
  REQUIRE(differ[0].size() == 2);
  CHECK(differ[0][0].first == "data-source.files");
  CHECK(differ[0][0].second.size() == 8);
  CHECK(differ[0][1] == std::pair<std::string, std::string>("data", "mine.txt"));
}

TEST_CASE("differences: long ones are shortened", "[runs]") {
  CHECK(differences_text({}).empty());
  CHECK(
      differences_text({{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}, {"f", "6"}}) ==
      "a=1 b=2 c=3 d=4 and 2 more");
  CHECK(differences_text({{"a", std::string(30, 'x')}}) == "a=" + std::string(24, 'x') + "...");
  // A character is not cut: "é" would be bytes 24 and 25.
  CHECK(differences_text({{"a", std::string(23, 'x') + "éé"}}) ==
        "a=" + std::string(23, 'x') + "...");
}

TEST_CASE("names: folder, prefix, hash, row and @latest; what fits several is listed", "[runs]") {
  const TemporaryFolder runs;
  const Json of_row = {{"row", "a"}};
  const auto small = write_node(
      runs.path, {"p.a.cpu.s1", "0a000001", "train", "vae", training(4, "30u", 1), {}, of_row},
      Json::object());
  const auto large = write_node(
      runs.path, {"p.a.cpu.s1", "0b000002", "train", "vae", training(8, "30u", 1)}, Json::object());
  const auto score =
      write_node(runs.path, {"p.a-bleu-score.cpu.s0", "0c000003", "score", "bleu"}, Json::object());
  const auto begun = write_node(runs.path, {"p.b.cpu.s1", "0d000004"}, nullptr);
  set_changed(small, 2000);
  set_changed(large, 1000);
  const auto found = [&](const std::string& name) { return find_run(name, runs.path).folder; };
  CHECK(found(small.string()) == small);
  CHECK(found(small.filename().string()) == small);
  CHECK(found("0b") == large);
  CHECK(found("p.a-b") == score);
  CHECK(found("p/b") == begun);
  CHECK(found("@latest") == small);
  CHECK(find_model("p/b@cpu#1", runs.path).state == RunState::kInterrupted);
  CHECK_THROWS_WITH(found("p/a"), Contains("'p/a' matches 2 runs; give one of them:") &&
                                      Contains("p.a.cpu.s1-0a000001: latent.size=4") &&
                                      Contains("p.a.cpu.s1-0b000002: latent.size=8"));
  CHECK_THROWS_AS(found("p/a"), UsageError);
  CHECK_THROWS_AS(found("p/zz"), MissingError);
  CHECK_THROWS_WITH(found("p/c"), Contains("did you mean 'p/a@cpu#1'"));
  CHECK(find_models("p/b", runs.path).size() == 1);
  write_node(runs.path, {"p.m=x,1.cpu.s1", "0e000005"}, Json::object());
  write_node(runs.path, {"p.m=x,2-7.cpu.s7", "0e000006"}, Json::object());
  write_node(runs.path, {"p.m=y,1.cpu.s1", "0e000007"}, Json::object());
  write_node(runs.path, {"p.m=x,1-samples.cpu.s1", "0e000008", "produce"}, Json::object());
  write_node(runs.path, {"p.m=x,1-forward-language_model.cpu.s1", "0e000009"}, Json::object());
  CHECK(find_models("p/m[x,*]", runs.path).size() == 2);
  CHECK(find_models("p/m[*,*]#7", runs.path).size() == 1);
  CHECK_THROWS_AS(find_models("p/m[*]", runs.path), MissingError);
  // Runs without weights are left out; several of one member must be told apart.
  write_node(runs.path, {"p.m=x,1.gpu.s1", "0f00000a"}, nullptr);
  CHECK(find_models("p/m[x,*]", runs.path).size() == 2);
  CHECK_THROWS_AS(find_models("p/m[x,*]@gpu", runs.path), MissingError);
  CHECK_THROWS_WITH(find_models("p/m[x,*]@gpu", runs.path), Contains("none of the 1 model"));
  write_node(runs.path, {"p.m=x,1.smoke.s1", "0f00000b"}, Json::object());
  CHECK_THROWS_AS(find_models("p/m[x,*]", runs.path), UsageError);
  CHECK_THROWS_WITH(find_models("p/m[x,*]", runs.path),
                    Contains("'p/m[x,1]' matches 2 runs; give one of them:") &&
                        Contains("p.m=x,1.smoke.s1-0f00000b"));
  CHECK(find_models("p/m[x,*]@cpu", runs.path).size() == 2);
  // A row may show a model of another name; a model of the row's name comes first.
  const auto shown = write_node(
      runs.path,
      {"p.d=x.cpu.s1", "1000000c", "train", "vae", Json::object(), {}, {{"row", "mos[x]"}}},
      Json::object());
  write_node(runs.path, {"p.mos=x-bleu-score.cpu.s0", "1000000d", "score", "bleu"}, Json::object());
  CHECK(found("p/mos[x]") == shown);
  CHECK(find_model("p/mos[x]@cpu#1", runs.path).folder == shown);
  CHECK(find_models("p/mos[*]", runs.path).size() == 1);
  CHECK_THROWS_AS(found("p/mos[y]"), MissingError);
  const auto named = write_node(runs.path, {"p.mos=x.cpu.s1", "1000000e"}, Json::object());
  CHECK(found("p/mos[x]") == named);
  CHECK_THROWS_WITH(found("@newest"), Contains("there is no '@newest'"));
  CHECK_THROWS_WITH(find_model("0c", runs.path), Contains("not a model but a node of kind"));
}
