#include "framework/pipeline/slurm/tasks.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/pipeline/slurm/jobs.h"
#include "framework/pipeline/slurm/queue.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

/// A graph of nodes without work: "name: input input"; a name with '!' is a training.
Graph graph_of(const std::vector<std::pair<std::string, std::vector<std::string>>>& nodes) {
  Graph graph("paper/table", "smoke");
  for (const auto& [name, inputs] : nodes) {
    GraphNode node;
    node.name = name;
    node.kind = name.back() == '!' ? NodeKind::kTrain : NodeKind::kScore;
    node.component = "none";
    node.options = {{"name", name}};
    for (const auto& input : inputs) node.inputs[input] = input;
    graph.add(node);
  }
  return graph;
}

std::vector<std::string> all_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const auto& node : graph.nodes()) names.push_back(node.name);
  return names;
}

/// "stage id: node node" for each task.
std::vector<std::string> texts(const std::vector<Task>& tasks) {
  std::vector<std::string> lines;
  for (const auto& task : tasks) {
    std::string line = task.stage + " " + task.id + ":";
    for (const auto& node : task.nodes) line += " " + node;
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("tasks: shared data first, then rows at seeds, then what combines rows", "[slurm]") {
  const Graph graph = graph_of({{"source", {}},
                                {"pack", {"source"}},
                                {"a!", {"pack"}},
                                {"a2!", {"pack"}},
                                {"b!", {"pack"}},
                                {"a-text", {"a!", "pack"}},
                                {"a-score", {"a-text"}},
                                {"b-score", {"b!"}},
                                {"choice", {"a-score", "b-score"}},
                                {"unused", {}}});
  auto targets = all_of(graph);
  targets.pop_back();
  const auto tasks = split_into_tasks(
      graph, {{"a", 1, "a!", {}}, {"a", 2, "a2!", {}}, {"b", 1, "b!", {}}}, targets);
  CHECK(texts(tasks) == Lines{"shared-1 data: source pack", "rows a#1: a! a-text a-score",
                              "rows a#2: a2!", "rows b#1: b! b-score", "report report: choice"});
  CHECK(stages_of(tasks) == Lines{"shared-1", "rows", "report"});
  CHECK(tasks[1].row == "a");
  CHECK(tasks[1].seed == 1);
  CHECK(tasks[0].row.empty());
}

TEST_CASE("tasks: shared trainings are tasks of their own, layer by layer", "[slurm]") {
  const Graph graph = graph_of({{"pack", {}},
                                {"judge!", {"pack"}},
                                {"base!", {"pack"}},
                                {"base-score", {"base!", "judge!"}},
                                {"judge-real", {"judge!"}},
                                {"both", {"base!", "judge!"}},
                                {"second!", {"base!"}},
                                {"x!", {"base!", "both"}},
                                {"x-score", {"x!", "judge-real", "second!"}},
                                {"y!", {"second!", "both"}},
                                {"y-score", {"y!", "judge-real"}}});
  const auto tasks = split_into_tasks(
      graph, {{"base", 1, "base!", {}}, {"x", 1, "x!", {}}, {"y", 1, "y!", {}}}, all_of(graph));
  // `base` is a row that other rows start from: its training is shared, its score is its own.
  CHECK(texts(tasks) == Lines{"shared-1 data: pack", "shared-2 base!: base!",
                              "shared-2 judge!: judge! judge-real", "shared-3 data-3: both",
                              "shared-3 second!: second!", "rows base#1: base-score",
                              "rows x#1: x! x-score", "rows y#1: y! y-score", "report report:"});
  CHECK(tasks[1].row == "base");
  CHECK(tasks[2].row.empty());
}

TEST_CASE("tasks: a row without training has its scores, equal trainings are one task", "[slurm]") {
  const Graph graph = graph_of({{"text", {}},
                                {"real!", {"text"}},
                                {"real-score", {"real!"}},
                                {"a!", {}},
                                {"a-score", {"a!"}},
                                {"of-all", {"text"}}});
  const auto tasks = split_into_tasks(
      graph,
      {{"real", std::nullopt, "", {"real-score"}}, {"a", 1, "a!", {}}, {"same", 1, "a!", {}}},
      all_of(graph));
  CHECK(texts(tasks) ==
        Lines{"rows real: text real! real-score", "rows a#1: a! a-score", "report report: of-all"});
  CHECK_FALSE(tasks[0].seed);
}

TEST_CASE("tasks: every needed node is in exactly one task, after its inputs", "[slurm]") {
  // Layers of nodes with inputs by a fixed rule.
  std::vector<std::pair<std::string, std::vector<std::string>>> nodes;
  std::vector<RowSeed> rows;
  for (int i = 0; i < 120; ++i) {
    const std::string name = "n" + std::to_string(i) + (i % 3 == 0 ? "!" : "");
    std::vector<std::string> inputs;
    for (int j = 0; j < i; ++j) {
      if ((i * 7 + j * 13) % 17 == 0 && i - j < 40) inputs.push_back(nodes[j].first);
    }
    nodes.emplace_back(name, inputs);
    if (i % 9 == 3) rows.push_back({"r" + std::to_string(i), 1, name, {}});
  }
  const Graph graph = graph_of(nodes);
  const auto tasks = split_into_tasks(graph, rows, all_of(graph));
  std::map<std::string, const Task*> task_of;
  for (const auto& task : tasks) {
    for (const auto& node : task.nodes) CHECK(task_of.emplace(node, &task).second);
  }
  CHECK(task_of.size() == graph.nodes().size());
  const auto stages = stages_of(tasks);
  CHECK(stages.size() > 4);
  const auto number = [&](const Task* task) {
    return std::find(stages.begin(), stages.end(), task->stage) - stages.begin();
  };
  for (const auto& node : graph.nodes()) {
    for (const auto& [name, input] : node.inputs) {
      const Task* before = task_of.at(input);
      const Task* after = task_of.at(node.name);
      INFO(input << " before " << node.name);
      CHECK((before == after || number(before) < number(after)));
    }
  }
}

TEST_CASE("tasks: a file of tasks is read as it was written", "[slurm]") {
  const Graph graph = graph_of({{"pack", {}}, {"a!", {"pack"}}, {"b!", {"pack"}}});
  TaskFile file{"paper/table", "smoke", "cuda", "", {}};
  file.tasks = split_into_tasks(graph, {{"a", 1, "a!", {}}, {"b", 1, "b!", {}}}, {"a!", "b!"});
  file.graph = hash_of(graph, file.tasks);
  const TemporaryFolder scratch;
  const auto path = scratch.path / "tasks.jsonl";
  write_file_atomic(path, to_json_lines(file));
  const TaskFile read = read_task_file(path);
  CHECK(to_json_lines(read) == to_json_lines(file));
  CHECK(read.device == "cuda");
  CHECK(texts(read.tasks) == texts(file.tasks));
  CHECK(read.tasks[1].seed == 1);
  write_file_atomic(path, to_json_lines(file) + "{\"task\": 5}\n");
  CHECK_THROWS_WITH(read_task_file(path), Catch::Matchers::Contains("tasks.jsonl:6"));
}

TEST_CASE("tasks: indices of an array", "[slurm]") {
  CHECK(array_text({1}, std::nullopt) == "1");
  CHECK(array_text({1, 2, 3, 5, 7, 8}, std::nullopt) == "1-3,5,7-8");
  CHECK(array_text({4, 5}, 2) == "4-5%2");
}

TEST_CASE("tasks: a job file", "[slurm]") {
  SlurmSettings settings;
  settings.gpus = "a100:1";
  settings.time = "4:00:00";
  settings.parallel = 8;
  settings.setup = {"module load cuda"};
  settings.options = {"--constraint=\"a|b\""};
  const std::string text = sbatch_file({"rows", {2, 3}}, settings, "table.rows", "/home/a b/slurm",
                                       "/home/a b", {"/bin/lvtext", "reproduce", "x y"});
  for (
      const char* line : {
          "#!/bin/bash\n",
          "#SBATCH --array=2-3%8\n",
          "#SBATCH --gpus=a100:1\n",
          "#SBATCH --time=4:00:00\n",
          "#SBATCH --requeue\n",
          "#SBATCH --open-mode=append\n",
          "#SBATCH --signal=B:USR2@120\n",
          "#SBATCH '--output=/home/a b/slurm/logs/%a.txt'\n",
          "#SBATCH --constraint=\"a|b\"\n",
          "\nmodule load cuda\n",
          "exec /bin/lvtext reproduce 'x y' --task '/home/a b/slurm/tasks.jsonl:'$SLURM_ARRAY_TASK_ID",
      }) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
  CHECK(text.find("--account") == std::string::npos);
  settings.gpus = "0";
  const std::string without =
      sbatch_file({"rows", {2}}, settings, "table.rows", "/a", "/", {"lvtext"});
  CHECK(without.find("--gpus") == std::string::npos);
}

TEST_CASE("tasks: own jobs only are listed", "[slurm]") {
  const TemporaryFolder scratch;
  CHECK(submitted_jobs(scratch.path).empty());
  add_submitted(scratch.path, {"12", "rows", {2, 3}});
  add_submitted(scratch.path, {"13", "report", {4}});
  const auto jobs = submitted_jobs(scratch.path);
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].stage == "rows");
  CHECK(jobs[0].tasks == std::vector<size_t>{2, 3});
  const auto active =
      active_tasks(jobs, "12_2 R\n12_3 PD\n99_1 R\n13_4 CG\n7_N/A PD\nslurm_load_jobs error\n\n");
  REQUIRE(active.size() == 3);
  CHECK(active[0].task == 2);
  CHECK(active[0].is_running);
  CHECK_FALSE(active[1].is_running);
  CHECK(active[2].job == "13");
}
