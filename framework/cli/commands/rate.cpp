#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/values.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/files.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/rating/pairwise_judgments.h"
#include "framework/pipeline/rating/rating_summary.h"
#include "framework/pipeline/rating/rating_table.h"
#include "framework/pipeline/rating/sheet_form.h"
#include "framework/pipeline/results/rating.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct RateArguments {
  std::string kind, recipe, profile, rows, mirror;
  std::string out;  ///< --out, for commands in messages
  std::vector<std::string> overrides;
  SheetRequest sheet;
  std::vector<fs::path> answers;
  bool replace = false;
};

const ExperimentSheet& sheet_named(const std::string& id, const Experiment& experiment) {
  if (const ExperimentSheet* sheet = find_entry(experiment.sheets, id)) return *sheet;
  std::vector<std::string> ids;
  for (const ExperimentSheet& sheet : experiment.sheets) ids.push_back(sheet.id);
  throw UsageError("unknown rating sheet '" + id + "'; " + suggestion(id, ids));
}

Experiment experiment_of(const RateArguments& arguments, Session& session) {
  ExperimentRequest requested;
  requested.rows = name_list("--rows", arguments.rows);
  requested.locations = data_locations(arguments.mirror);
  return build_experiment(session.recipe(arguments.recipe, arguments.profile, arguments.overrides),
                          session.registries(), requested);
}

/// A command with the recipe, overrides and flags of `arguments`; `rows` and `report` may be empty.
std::string command_of(const std::string& command, const RateArguments& arguments,
                       const std::string& rows, const std::string& report) {
  std::vector<std::string> words = {"lvtext", command, arguments.recipe};
  words.insert(words.end(), arguments.overrides.begin(), arguments.overrides.end());
  const auto add = [&words](const char* flag, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {flag, value});
  };
  add("--profile", arguments.profile);
  add("--rows", rows);
  add("--mirror", arguments.mirror);
  add("--out", arguments.out);
  add("--report", report);
  return join(words, " ");
}

/// The command that computes the texts missing for an export.
std::string reproduce_command(const RateArguments& arguments, const SheetTexts& texts) {
  std::vector<std::string> rows;
  for (const auto& row : texts.unfinished) rows.push_back(row.id);
  return command_of("reproduce", arguments, join(rows, ","), "");
}

/// The command that writes the sheets whose answers are imported.
std::string export_command(const RateArguments& arguments, const Session& session) {
  return command_of("rate export " + arguments.kind, arguments, "", session.report.string());
}

Sheet sheet_of(const RateArguments& arguments, const ExperimentSheet& sheet,
               const Experiment& experiment, Session& session) {
  SheetTexts texts = sheet_texts(sheet, experiment, graph_status(experiment.graph, session.runs),
                                 session.registries(), arguments.sheet);
  if (!texts.unfinished.empty()) {
    std::vector<std::string> rows;
    for (const auto& row : texts.unfinished) rows.push_back(row.id + " (" + row.reason + ")");
    throw MissingError("not finished: " + join(rows) + "; first run `" +
                       reproduce_command(arguments, texts) +
                       "`, or select the rows to rate with --rows");
  }
  for (const auto& row : texts.left_out) log_info("without " + row.id + ": " + row.reason);
  if (texts.key.rows.empty()) throw UsageError("no row of the recipe can be rated");
  for (size_t i = 0; i < texts.sentences.size(); ++i) {
    const auto found = static_cast<int64_t>(texts.sentences[i].size());
    if (found == sentences_each(sheet, arguments.sheet)) continue;
    log_warning(texts.key.groups[i].id + " has only " + format_count(found, "sentence"));
  }
  return make_sheet(sheet.kind, std::move(texts.key), texts.sentences, texts.pictures);
}

/// Rejects an existing key of another export: answers to its sheets cannot be read with a new key.
void refuse_other_key(const fs::path& file, const std::string& key) {
  if (!fs::exists(file) || read_file(file) == key) return;
  throw Error(Exit::kCannotWrite,
              "'" + file.string() +
                  "' is the key of another export and is needed to read its answers; "
                  "move or remove that folder first");
}

void export_sheet(const RateArguments& arguments, Session& session) {
  const Experiment experiment = experiment_of(arguments, session);
  const ExperimentSheet& planned = sheet_named(arguments.kind, experiment);
  const Sheet sheet = sheet_of(arguments, planned, experiment, session);
  const SheetKind& kind = planned.kind;
  const fs::path folder = rating_folder(session.report_folder(experiment, {}), kind.name);
  const fs::path key_file = folder / "key.json";
  const std::string key =
      to_json(sheet.key).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::vector<RatedExample> examples;
  if (const std::string& file = planned.options.examples; !file.empty()) {
    examples = read_examples(file, kind);
  }
  refuse_other_key(key_file, key);
  const fs::path sheets = folder / "sheets";
  make_folders(sheets);
  write_file_atomic(key_file, key);
  write_file_atomic(sheets / "sheet.tsv", sheet_tsv(sheet));
  write_file_atomic(sheets / "sheet.csv", sheet_csv(sheet));
  write_file_atomic(sheets / "form.html", sheet_form(sheet, examples));
  if (!sheet.pictures.empty()) make_folders(sheets / "images");
  for (const auto& [name, picture] : sheet.pictures) {
    write_file_atomic(sheets / "images" / name, png_of(picture));
  }
  if (session.json) {
    return print_json({{"schema", "lvtext.rating-export/1"},
                       {"kind", kind.name},
                       {"items", sheet.items.size()},
                       {"rows", sheet.key.rows.size()},
                       {"sheets", sheets.string()},
                       {"key", key_file.string()}});
  }
  print_text(format_count(static_cast<int64_t>(sheet.items.size()), "item") + " of " +
             format_count(static_cast<int64_t>(sheet.key.rows.size()), "row"));
  print_text("for raters: form.html, or sheet.csv, or sheet.tsv in " + sheets.string());
  print_text("not for raters: " + key_file.string());
}

void print_scores(const Table& table) {
  const TextTable texts = terminal_table(table);
  print_table(texts.columns, texts.rows);
}

void import_answers(const RateArguments& arguments, Session& session) {
  const Experiment experiment = experiment_of(arguments, session);
  const ExperimentSheet& sheet = sheet_named(arguments.kind, experiment);
  const SheetKind& kind = sheet.kind;
  const fs::path report = session.report_folder(experiment, {});
  const fs::path folder = rating_folder(report, kind.name);
  const fs::path key_file = folder / "key.json";
  if (!fs::exists(key_file)) {
    throw MissingError("there is no '" + key_file.string() + "'; `" +
                       export_command(arguments, session) + "` writes it with the sheets" +
                       (arguments.profile.empty() ? "; use the same --profile" : ""));
  }
  const SheetKey key = read_sheet_key(key_file.string());
  // Summaries cover all answers, so those of earlier imports are kept.
  const fs::path kept = folder / "answers.json";
  const Ratings earlier = fs::exists(kept) ? read_ratings(kept, kind, key) : Ratings();
  const Ratings ratings = read_answers(arguments.answers, kind, key, earlier, arguments.replace);
  const RatingSummary summary = summarize(ratings, kind, key);
  write_file_atomic(kept, to_json(ratings, kind).dump(1) + "\n");
  const std::string json = to_json(summary).dump(1) + "\n";
  write_file_atomic(folder / "ratings.json", json);
  write_file_atomic(folder / "ratings.jsonl", rated_records(ratings, kind, key));
  const std::vector<SideTable> tables = sheet_tables(sheet, experiment, report);
  LVT_ASSERT(!tables.empty(), "imported ratings have a table");
  std::string text;
  for (size_t i = 0; i < tables.size(); ++i) {
    const auto& [title, note, table] = tables[i];
    text += (i > 0 ? "\n# " : "# ") + title + "\n\n" + note + "\n\n" + table_markdown(table);
    const std::string name = i > 0 ? "differences" : "table";
    write_file_atomic(folder / (name + ".csv"), table_csv(table));
    write_file_atomic(folder / (name + ".json"), table_json(table));
  }
  write_file_atomic(folder / "table.md", text);
  if (session.json) return print_text(json);
  for (const SideTable& each : tables) {
    print_text(each.title + "\n\n" + each.note + "\n");
    print_scores(each.table);
  }
  print_text("written to " + folder.string() + "; `lvtext report` shows it in the recipe's report");
}

void print_judgments(const std::vector<fs::path>& files, Session& session) {
  const Configured pairwise = session.registries().sheets.get("pairwise").configure();
  const SheetKind& kind = *pairwise.sheet;
  const PairwiseJudgments judgments = read_pairwise_judgments(files, kind);
  const RatingSummary summary = summarize(judgments.ratings, kind, judgments.key);
  if (session.json) return print_json(to_json(summary));
  std::vector<RatingRow> rows;
  for (const RatedGroup& group : judgments.key.groups) rows.push_back({group.id, group.label});
  print_scores(rating_table(kind, summary, std::move(rows), {}));
}

CLI::App* add_one(CLI::App& group, Session& session,
                  const std::shared_ptr<RateArguments>& arguments, const char* name,
                  const char* help, void (*work)(const RateArguments&, Session&)) {
  CLI::App* command = group.add_subcommand(name, help);
  command
      ->add_option("SHEET", arguments->kind,
                   "a sheet of the recipe, or a kind (`lvtext list sheets`)")
      ->required();
  add_recipe(*command, arguments->recipe);
  add_overrides(*command, arguments->overrides);
  add_profile(*command, arguments->profile);
  add_mirror(*command, arguments->mirror);
  add_runs_folder(*command, session)->each([arguments](const std::string& out) {
    arguments->out = out;
  });
  add_report_folder(*command, session);
  add_json(*command, session);
  command->callback([arguments, work, &session] { work(*arguments, session); });
  return command;
}

}  // namespace

void add_rate(CLI::App& app, Session& session) {
  CLI::App* group = app.add_subcommand(
      "rate", "exports blind rating sheets, imports the answers, and reads published judgments");
  group->require_subcommand(1);
  const auto arguments = std::make_shared<RateArguments>();
  CLI::App* command = add_one(
      *group, session, arguments, "export",
      "writes blind rating sheets with finished text of a recipe, and their key", export_sheet);
  command
      ->add_option("--rows", arguments->rows,
                   "rows to rate (default: those with human ratings in the paper)")
      ->type_name("A,B")
      ->each([arguments](const std::string&) { arguments->sheet.rows_named = true; });
  command
      ->add_option("--sentences", arguments->sheet.each,
                   "number of sentences per row or pair of rows (default: that of the sheet)")
      ->check(whole_number(1, int64_t{1} << 20));
  command
      ->add_option("--seed", arguments->sheet.seed,
                   "seed of the selection and order of sentences (default: 1)")
      ->check(whole_number(0));
  command = add_one(*group, session, arguments, "import",
                    "checks the answers and computes the paper's table from them", import_answers);
  command->add_option("--answers", arguments->answers, "CSV or TSV file; repeatable")
      ->type_name("FILE")
      ->required();
  command->add_flag("--replace", arguments->replace,
                    "replaces earlier ratings of the same rater and item that differ");
  command = group->add_subcommand(
      "judgments", "prints the percentages of published pairwise judgments, as JSON lines");
  const auto files = std::make_shared<std::vector<fs::path>>();
  command->add_option("FILE", *files, "JSON lines with model1, model2, style_better, ...")
      ->required();
  add_json(*command, session);
  command->callback([files, &session] { print_judgments(*files, session); });
}

}  // namespace lvtext
