// The commands. Each function adds one command, or several that share options, to a CLI11
// application. The session must outlive the application.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// `lvtext reproduce`, `train`, `report`: trained runs, scores and a report of a recipe.
void add_reproduce(CLI::App& app, Session& session);
/// `lvtext eval RUN`, `lvtext eval --outputs FILE`: scores without a recipe.
void add_eval(CLI::App& app, Session& session);
/// `lvtext generate|reconstruct|transfer|interpolate|encode|draw RUN`: one capability of a trained
/// model each.
void add_model_commands(CLI::App& app, Session& session);
/// `lvtext prompt|chat|probe RUN`: interactive use of a trained model.
void add_prompt(CLI::App& app, Session& session);
/// `lvtext config RECIPE`: the resolved recipe.
void add_config(CLI::App& app, Session& session);
/// `lvtext explain RECIPE LINE.COLUMN`: how a cell of a table is computed.
void add_explain(CLI::App& app, Session& session);
/// `lvtext list KIND`: components, data sets and recipes by name.
void add_list(CLI::App& app, Session& session);
/// `lvtext data list|get|verify` and the commands of add_data_makers().
void add_data(CLI::App& app, Session& session);
/// `lvtext data pack|build|import`: creation of files from data sets and texts.
void add_data_makers(CLI::App& group, Session& session);
/// `lvtext runs ls|show|verify|compare|rm|gc` and the commands of add_runs_exchange().
void add_runs(CLI::App& app, Session& session);
/// `lvtext runs export|import`: copies of finished runs in another folder or on another machine.
void add_runs_exchange(CLI::App& group, Session& session);
/// `lvtext checkpoint show|verify|diff|average` and the commands of add_checkpoint_exchange().
void add_checkpoint(CLI::App& app, Session& session);
/// `lvtext checkpoint export|import`: weights in the Hugging Face layout.
void add_checkpoint_exchange(CLI::App& group, Session& session);
/// `lvtext rate export|import|judgments`: human ratings of generated text.
void add_rate(CLI::App& app, Session& session);
/// `lvtext sweep run|work|status|retry|add|stop|report`: searches for settings of a recipe.
void add_sweep(CLI::App& app, Session& session);
/// `lvtext doctor`: hardware, disk and data of this machine; `--measure`: cost of a recipe.
void add_doctor(CLI::App& app, Session& session);
/// `lvtext help [KIND NAME]`: the commands, or a component and its options.
void add_help(CLI::App& app, Session& session);
/// `lvtext schema [FILE]`: JSON schemas of recipes and of the files that lvtext writes.
void add_schema(CLI::App& app, Session& session);
/// `lvtext completion SHELL`: scripts that complete commands, flags and names.
void add_completion(CLI::App& app, Session& session);

}  // namespace lvtext
