#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <set>

#include "framework/cli/conversation.h"
#include "framework/cli/open_run.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/text_source.h"
#include "framework/cli/values.h"
#include "framework/core/base/json.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/runs/run_name.h"

namespace lvtext {
namespace {

enum class FirstVerb { kNoVerb, kChat, kProbe };

struct PromptArguments {
  RunArguments run;
  DecodingArguments decoding;
  std::vector<std::string> persona;
  int64_t history = 0;
  bool tokens = false;
};

/// The first line of JSON contains the schema.
void print_answer(const Answer& answer, bool as_json, bool& is_first) {
  if (!as_json) {
    for (const auto& each : answer.lines) print_data(each);
    return;
  }
  auto line = nlohmann::ordered_json::object();
  if (is_first) line["schema"] = "lvtext.answers/1";
  is_first = false;
  line.update(answer.json);
  print_data(json_text(line));
}

/// Prints the answers of the runs to a line; those of several runs begin with the run's name.
/// Errors affect only this line.
void answer(std::vector<Conversation>& conversations, const std::string& line, bool as_json,
            bool& is_first) {
  std::set<std::string> printed;  // help and settings are printed once
  for (Conversation& each : conversations) {
    const std::string name = short_name(each.model().run().folder.filename().string());
    const bool alone = conversations.size() == 1;
    try {
      Answer answer = each.answer(line);
      const bool is_new = answer.of_model || printed.insert(json_text(answer.json)).second;
      if (!is_new) continue;
      if (answer.of_model) {
        answer.json["run"] = each.model().run().folder.filename().string();
        for (std::string& text : answer.lines) text = (alone ? "" : name + ": ") + text;
      }
      print_answer(answer, as_json, is_first);
    } catch (const Error& error) {
      log_error((alone ? "" : name + ": ") + error.what());
    }
  }
  finish_printing();
}

void converse(const PromptArguments& arguments, FirstVerb first, Session& session) {
  std::vector<Conversation> conversations;
  TextSource source("", "");
  std::vector<TrainedRun> runs = open_runs(arguments.run, session);
  const bool compares = runs.size() > 1;  // by what they make of a text
  for (TrainedRun& run : runs) {
    log_run(run);
    VerbOptions options = arguments.decoding.options(run);
    options.history = arguments.history;
    ModelVerbs model(std::move(run), session.registries());
    std::string verb;
    if (first == FirstVerb::kChat) verb = model.chat_verb();
    if (first == FirstVerb::kNoVerb && compares && model.can(model.chat_verb())) {
      verb = model.chat_verb();
    }
    if (first == FirstVerb::kProbe) verb = model.probe_verb();
    if (source.interactive()) log_info("verbs: " + join(model.verbs()));
    if (source.interactive() && model.can("reply") && arguments.persona.empty()) {
      log_info("no persona, which dialogues of the training may all have had: --persona TEXT");
    }
    conversations.emplace_back(std::move(model), options, verb, arguments.persona,
                               arguments.tokens);
  }
  if (source.interactive()) {
    log_info(
        "`help`, `quit` and verbs alone on a line, and lines with `:`, are commands; all other "
        "lines are text");
  }
  bool is_first = true;
  while (conversations.front().open()) {
    source.set_prompt(conversations.front().prompt());
    std::string line;
    try {
      if (!source.next(line)) return;
    } catch (const DataError& error) {  // affects this line only
      log_error(error.what());
      continue;
    }
    answer(conversations, line, session.json, is_first);
  }
}

void add_one(CLI::App& app, Session& session, const char* name, const char* help, FirstVerb first) {
  CLI::App* command = app.add_subcommand(name, help);
  const auto arguments = std::make_shared<PromptArguments>();
  add_run_arguments(*command, arguments->run, session);
  add_decoding_arguments(*command, arguments->decoding);
  command
      ->add_option("--persona", arguments->persona,
                   "sentences of the persona of a model of dialogues, one flag for each")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  command
      ->add_option("--history", arguments->history,
                   "number of utterances that a model of dialogues reads before a reply (default: "
                   "0, all)")
      ->check(whole_number(0));
  command->add_flag("--tokens", arguments->tokens,
                    "shows the probability and the alternatives of each token after each text");
  command->add_flag("--json", session.json, "prints one line of JSON for each line");
  command->callback([arguments, first, &session] {
    const PrecisionScope precision = arguments->run.precision_scope();
    converse(*arguments, first, session);
  });
}

}  // namespace

void add_prompt(CLI::App& app, Session& session) {
  add_one(app, session, "prompt", "opens a prompt with the verbs that trained models support",
          FirstVerb::kNoVerb);
  add_one(app, session, "chat",
          "opens the prompt with the verb reply, transfer, reconstruct, complete or generate",
          FirstVerb::kChat);
  add_one(app, session, "probe", "opens the prompt with the verb encode (or score)",
          FirstVerb::kProbe);
}

}  // namespace lvtext
