#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/values.h"
#include "framework/core/base/log.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"
#include "framework/core/sources/import_text.h"
#include "framework/core/sources/split_files.h"
#include "framework/pipeline/check/checked_data.h"
#include "framework/pipeline/check/checked_recipe.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/recipe/overrides.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

struct DataMakeArguments {
  std::string source, recipe, profile, mirror, output;
  std::vector<std::string> overrides;
};

/// Data options, and the paper and profile in the names of node folders.
struct RequestedData {
  DataBlock data;
  std::string paper = "data", profile = "default";
};

/// Refuses overrides of the source, which SOURCE replaces. `is_text`: SOURCE is a file.
void check_overrides(const DataMakeArguments& arguments, bool is_text) {
  for (const std::string& override : arguments.overrides) {
    const std::string key = override.substr(0, override.find('='));
    const bool is_split = key == "data.valid" || key == "data.test";
    const bool is_source = key == "data.set" || key == "data.train";
    if (!is_source && (is_text || !is_split)) continue;
    throw UsageError("'" + key + "' has no effect: SOURCE, " + shown(arguments.source) + ", is " +
                     (is_text ? "the training text" : "a data set, which has its own splits") +
                     "; to read files of your own, give the training text as SOURCE, with "
                     "data.valid=FILE and data.test=FILE");
  }
}

// Without a recipe, the overrides apply to the default options.
Node options_without_recipe(const std::vector<std::string>& overrides) {
  Errors errors;
  const Node tree =
      apply_overrides(Node::mapping({{"data", Node::mapping({}), {}}}), overrides, errors);
  errors.throw_if_any();
  if (tree.entries().size() > 1) {
    throw UsageError("'" + tree.entries()[1].key +
                     "' is not a data option; without --recipe only " +
                     "data.key=value is allowed");
  }
  return *tree.find("data");
}

/// True for a text file, false for the name of a data set. Throws MissingError for anything else.
bool is_text(const std::string& source) {
  const auto names = manifest_names(manifest_folders());
  if (std::find(names.begin(), names.end(), source) != names.end()) return false;
  std::error_code failed;
  if (fs::is_regular_file(source, failed)) return true;
  throw MissingError("SOURCE: there is no file and no data set " + shown(source) + "; " +
                     suggestion(source, names));
}

RequestedData requested_of(const DataMakeArguments& arguments, Session& session) {
  RequestedData requested;
  Node options;
  if (arguments.recipe.empty()) {
    if (!arguments.profile.empty()) throw UsageError("--profile requires --recipe");
    options = options_without_recipe(arguments.overrides);
  } else {
    const Recipe recipe =
        session.recipe(arguments.recipe, arguments.profile, arguments.overrides).recipe;
    requested.paper = split(recipe.options.recipe, '/').front();
    if (!recipe.profile.empty()) requested.profile = recipe.profile;
    const Node& data = recipe.options.data;
    options = is_one_data_set(data) ? data : data.entries().front().value;
  }
  // The given set or text replaces the recipe's.
  const bool text = is_text(arguments.source);
  check_overrides(arguments, text);
  if (!text) options = options.without("train").without("valid").without("test");
  options = options.with({text ? "train" : "set", Node::scalar(arguments.source, true), {}});
  requested.data = parse_options_or_throw<DataBlock>(options, {}, "data");
  Errors errors;
  check_source(options, requested.data.source, "data", errors);
  errors.throw_if_any();
  return requested;
}

/// The metadata in the manifest of a finished node.
nlohmann::ordered_json metadata_of(const NodeStatus& status) {
  const auto manifest = read_run_manifest(status.folder);
  return manifest ? manifest->value("metadata", nlohmann::ordered_json::object())
                  : nlohmann::ordered_json::object();
}

bool report_failures(const std::vector<const GraphNode*>& nodes, const GraphStatus& status,
                     Session& session) {
  bool failed = false;
  for (const GraphNode* node : nodes) {
    const NodeStatus& entry = status.at(node->name);
    if (entry.state != NodeState::kFailed) continue;
    failed = true;
    log_error(node->name + " failed: " + entry.reason);
    session.result = Exit::kSomeFailed;
  }
  return failed;
}

void pack(const DataMakeArguments& arguments, Session& session) {
  const RequestedData requested = requested_of(arguments, session);
  Graph graph(requested.paper, requested.profile);
  const DataNodes nodes = add_data(graph, "data", requested.data, data_locations(arguments.mirror));
  const StopSignals signals;
  GraphStatus status = run_graph(graph, {nodes.source}, session.runs);
  if (report_failures(graph.needed_for({nodes.source}), status, session)) return;
  // A split without sentences has no corpus.
  const auto sentences = metadata_of(status.at(nodes.source)).at("sentences");
  std::vector<std::string> packs;
  for (const auto& [split, node] : nodes.packs) {
    if (sentences.at(split).get<int64_t>() > 0) packs.push_back(node);
  }
  status = run_graph(graph, packs, session.runs);
  if (report_failures(graph.needed_for(packs), status, session)) return;

  auto json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const auto& [split, node] : nodes.packs) {
    if (sentences.at(split).get<int64_t>() == 0) continue;
    const NodeStatus& entry = status.at(node);
    const auto metadata = metadata_of(entry);
    rows.push_back({split, format_count(metadata.at("sentences").get<int64_t>()),
                    format_count(metadata.at("tokens").get<int64_t>()),
                    format_count(metadata.at("unknown").get<int64_t>()), entry.folder.string()});
    json.push_back({{"split", split},
                    {"sentences", metadata.at("sentences")},
                    {"tokens", metadata.at("tokens")},
                    {"unknown", metadata.at("unknown")},
                    {"folder", entry.folder.string()},
                    {"identity", graph.at(node).identity}});
  }
  if (session.json) return print_json({{"schema", "lvtext.data-pack/1"}, {"corpora", json}});
  print_table({"split", "sentences", "tokens", "unknown", "folder"}, rows);
}

void build(const DataMakeArguments& arguments, Session& session) {
  const RequestedData requested = requested_of(arguments, session);
  const DataOptions& options = requested.data.source;
  const StopSignals signals;
  const auto written = write_split_files(load_splits(options, data_locations(arguments.mirror)),
                                         options, arguments.output);
  if (session.json) return print_json(written);
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, file] : written.at("files").items()) {
    rows.push_back({name,
                    file.contains("records") ? format_count(file.at("records").get<int64_t>()) : "",
                    file.at("sha256").get<std::string>()});
  }
  print_text(arguments.output);
  print_table({"file", "records", "SHA-256"}, rows);
}

/// Parses the values NAME=SHARE of --share. Throws UsageError.
std::map<std::string, double> parse_shares(const std::vector<std::string>& texts) {
  std::map<std::string, double> shares;
  for (const std::string& text : texts) {
    const size_t equals = std::min(text.find('='), text.size());
    const auto share = parse_number(text.substr(std::min(equals + 1, text.size())));
    const std::string name = text.substr(0, equals);
    if (!share || *share <= 0 || *share > 0.9 || name.empty()) {
      throw UsageError("--share " + shown(text) +
                       ": expected NAME=SHARE with 0 < SHARE <= 0.9, such as reverse=0.3");
    }
    if (!shares.emplace(name, *share).second) throw UsageError("--share " + name + ": given twice");
  }
  return shares;
}

void import(const ImportRequest& request) {
  const Manifest set = import_text(request, data_cache());
  std::vector<std::vector<std::string>> rows;
  for (const DataFile& file : set.files) {
    rows.push_back(
        {file.path, file.role, format_count(file.lines), format_count(file.bytes), file.sha256});
  }
  print_text((data_cache() / (set.name + ".yaml")).string() + ": data.set=" + set.name);
  print_table({"file", "role", "lines", "bytes", "SHA-256"}, rows);
}

void add_source(CLI::App& command, DataMakeArguments& arguments, Session& session) {
  command.add_option("SOURCE", arguments.source, "name of a data set, or a text file")->required();
  command.add_option("OVERRIDES", arguments.overrides, "data.key=value, any number of them");
  command.add_option("--recipe", arguments.recipe, "uses the data options of this recipe")
      ->type_name("RECIPE");
  add_profile(command, arguments.profile);
  add_mirror(command, arguments.mirror);
  add_json(command, session);
}

void add_import(CLI::App& group) {
  CLI::App* command = group.add_subcommand("import", "creates a named data set from text files");
  auto request = std::make_shared<ImportRequest>();
  command->add_option("NAME", request->name, "name of the data set, for data.set=NAME")->required();
  const auto files = [&](const char* flag, const char* help, std::vector<fs::path>& to) {
    return command->add_option(flag, to, help)
        ->type_name("FILE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  files("--train", "training text, one sentence per line, plain or .gz; repeatable", request->train)
      ->required();
  files("--valid", "validation text (default: sentences held out from the training text)",
        request->valid);
  files("--test", "test text (default: sentences held out from the training text)", request->test);
  command->add_option("--license", request->license, "license of the text")
      ->type_name("TEXT")
      ->required();
  command->add_option("--title", request->title, "title of the data set")->type_name("TEXT");
  command->add_option("--citation", request->citation, "citation for the data set")
      ->type_name("TEXT");
  const auto share = [&](const char* flag, const char* help, double& to, double most) {
    command->add_option(flag, to, help)->type_name("SHARE")->check(positive_number(most));
  };
  share("--valid-share", "fraction held out for validation", request->valid_share, 0.5);
  share("--test-share", "fraction held out for testing", request->test_share, 0.5);
  auto shares = std::make_shared<std::vector<std::string>>();
  command
      ->add_option(
          "--share", *shares,
          "further split and its fraction of the remaining sentences, reverse=0.3; repeatable")
      ->type_name("NAME=SHARE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->callback([request, shares] {
    request->shares = parse_shares(*shares);
    import(*request);
  });
}

}  // namespace

void add_data_makers(CLI::App& group, Session& session) {
  auto arguments = std::make_shared<DataMakeArguments>();
  CLI::App* packed = group.add_subcommand(
      "pack", "creates the tokenizer and the datasets of a data set, for use by later commands");
  add_source(*packed, *arguments, session);
  add_runs_folder(*packed, session);
  packed->callback([arguments, &session] { pack(*arguments, session); });

  CLI::App* built = group.add_subcommand("build", "writes the splits of a data set as JSON lines");
  add_source(*built, *arguments, session);
  creates_folder(
      built->add_option("-o,--output", arguments->output, "folder to write; must not exist")
          ->type_name("DIR")
          ->required());
  built->callback([arguments, &session] { build(*arguments, session); });
  add_import(group);
}

}  // namespace lvtext
