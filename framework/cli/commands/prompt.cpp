#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "framework/cli/conversation.h"
#include "framework/cli/open_run.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/text_source.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

enum class FirstVerb { kNoVerb, kChat, kProbe };

struct Arguments {
  RunArguments run;
  DecodingArguments decoding;
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
  print_data(line.dump());
}

void converse(const Arguments& arguments, FirstVerb first, Session& session) {
  ModelVerbs model(open_run(arguments.run, session), session.registries());
  const VerbOptions options = arguments.decoding.options(model.run());
  std::string verb;
  if (first == FirstVerb::kChat) verb = model.chat_verb();
  if (first == FirstVerb::kProbe) verb = model.probe_verb();
  Conversation conversation(std::move(model), options, verb);
  TextSource source("", "");
  if (source.interactive()) {
    const TrainedRun& run = conversation.model().run();
    log_info(run.folder.filename().string() + ", model " + run.model.component + ", step " +
             format_count(run.model.step) + "; verbs: " + join(conversation.model().verbs()) +
             "; `help` describes them, `quit` exits");
  }
  bool is_first = true;
  while (conversation.open()) {
    source.set_prompt(conversation.prompt());
    std::string line;
    try {
      if (!source.next(line)) return;
      print_answer(conversation.answer(line), session.json, is_first);
    } catch (const Error& error) {  // affects this line only
      log_error(error.what());
    }
    finish_printing();
  }
}

void add_one(CLI::App& app, Session& session, const char* name, const char* help, FirstVerb first) {
  CLI::App* command = app.add_subcommand(name, help);
  const auto arguments = std::make_shared<Arguments>();
  add_run_arguments(*command, arguments->run);
  add_decoding_arguments(*command, arguments->decoding);
  command->add_flag("--json", session.json, "prints one line of JSON for each line");
  command->callback([arguments, first, &session] {
    const PrecisionScope precision = arguments->run.precision_scope();
    converse(*arguments, first, session);
  });
}

}  // namespace

void add_prompt(CLI::App& app, Session& session) {
  add_one(app, session, "prompt", "opens a prompt with the verbs that a trained model supports",
          FirstVerb::kNoVerb);
  add_one(app, session, "chat", "opens the prompt with the verb transfer, reconstruct or generate",
          FirstVerb::kChat);
  add_one(app, session, "probe", "opens the prompt with the verb encode (or score)",
          FirstVerb::kProbe);
}

}  // namespace lvtext
